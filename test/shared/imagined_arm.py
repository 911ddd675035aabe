# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm without physics: each step of a plan does to the scene what its skill says it does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from replan_agent import Config, build_agent
from replan_agent.agent.ports import Approver, Human, PhaseCallback
from replan_agent.app.build.build_agent import Ports
from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.skill_set import skill_set
from replan_agent.approve.automatic import AutoApprover
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, failed, find_spec, succeeded
from replan_agent.domain.task_result import TaskResult
from replan_agent.geometry.steps.after_step import after_step
from replan_agent.plan.search.search_planner import SearchPlanner

SPECS = skill_set((), simulated=True).specs()


@dataclass
class ImaginedArm:
    """The real loop, reader and search on a scene. Steps from number `breaks_at` on fail."""

    scene: Scene
    breaks_at: int = 1000
    approver: Approver = field(default_factory=AutoApprover)
    human: Human | None = None
    is_blind: bool = False
    name: str = 'by_hand'
    uses_model: bool = False
    tasks: list[str] = field(default_factory=list)
    done: int = 0

    def run(self, task: str, resume: Resume | None = None) -> TaskResult:
        self.tasks.append(task)
        planner = SearchPlanner(build_reader())
        return build_agent(Config(), Ports(self, self, planner, self.approver, human=self.human)
                           ).run(task, Context(), resume=resume)

    def observe(self, ctx: Context) -> Scene:
        if self.is_blind:
            raise PerceptionError('the lens is covered')
        return self.scene

    def specs(self) -> tuple[SkillSpec, ...]:
        return SPECS

    def execute(self, step: Step, scene: Scene, ctx: Context, on_phase: PhaseCallback
                ) -> SkillResult:
        self.done += 1
        after = after_step(step, find_spec(SPECS, step.skill), self.scene)
        if self.done >= self.breaks_at or after is None:
            return failed(Reason.CONTROLLER_ABORTED, 'the controller is off')
        self.scene = replace(after, scene_id=f'scene {self.done}')
        return succeeded()

    def stop(self) -> None:
        """It stands still."""
