# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task that its words refuse ends in the same loop as any other, but no world is built."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from replan_agent.agent.ports import Human, PhaseCallback, Recorder
from replan_agent.approve.console_approver import ConsoleApprover
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest, ReplyKind, Step
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.recorders import FanOut

from ..build.build_agent import Ports, build_agent
from ..build.build_approver import build_approver
from ..build.build_planner import build_check, build_planner
from ..build.plugins import reports
from ..build.scenes_by_name import scene_named
from ..run_record import run_facts, run_folder, world_facts
from .first_reading import first_reading, first_request

BY_THE_GRAMMAR = ('search', 'stub')  # planners that read a task as `first_reading` does


@dataclass(frozen=True)
class RefusedTask:
    """The arm and the eyes for a task that moves nothing, in the scene of a file."""

    config: Config
    request: PlanRequest
    world: Mapping[str, Any]
    human: Human | None = None
    count: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    name, uses_model = GROUND_TRUTH, False

    def facts(self) -> Mapping[str, Any]:
        return {**self.world, **run_facts(self.config)}

    def run(self, task: str, *, out: Path, watchers: Iterable[Recorder], ctx: Context,
            resume: Resume | None = None) -> TaskResult:
        """The result, recorded under `out`."""
        config = self.config
        planner = build_planner(config, _nothing, build_check(config), _nothing)
        approver = build_approver(config, ConsoleApprover(config.approval.timeout), 'console')
        agent = build_agent(config, Ports(self, self, planner, approver, human=self.human))
        agent.recorder = FanOut(run_folder(out, reports=reports()), *watchers)
        return agent.run(task, ctx, self.facts(), resume)

    def observe(self, ctx: Context) -> Scene:
        ctx.check()
        return replace(self.request.scene, scene_id=f'scene-{next(self.count)}')

    def specs(self) -> tuple[SkillSpec, ...]:
        return self.request.skills

    def execute(self, step: Step, scene: Scene, ctx: Context, on_phase: PhaseCallback
                ) -> SkillResult:
        raise AssertionError(f'a refused task has no steps: {step.told}')

    def stop(self) -> None:
        """It stands still."""


def refused_task(task: str, scene: str, seed: int, config: Config, human: Human | None,
                 can_answer: bool) -> RefusedTask | None:
    """The task, if its words are refused in the scene of the file; None if a world is needed.

    `can_answer`: a person is there to answer what the words leave open.
    """
    reads = (config.planner in BY_THE_GRAMMAR and config.robot_source == 'mujoco'
             and config.motion_planner == 'builtin'
             and config.perception == GROUND_TRUTH and not config.robot.eye_in_hand)
    spec = scene_named(scene) if reads else None
    if spec is None or spec.dropped:
        return None
    request = first_request(task, spec, seed, config)
    reply = first_reading(request, config)
    refused = not reply.goals and reply.kind not in (ReplyKind.STEPS, ReplyKind.DONE)
    if not refused or can_answer and reply.reason is Reason.AMBIGUOUS_OBJECT:
        return None
    return RefusedTask(config, request, world_facts(spec, seed, config.robot), human)


def _nothing() -> Any:
    raise AssertionError('a grammar asks no model, and needs no picture')
