# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fakes at the loop's ports, scripted by each test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from manual_clock import ManualClock

from replan_agent.agent.loop import Agent
from replan_agent.arms.franka import PANDA
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.plan import Plan, PlanReply, ReplyKind, Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, failed, succeeded
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.replan.diagnose.policy import TablePolicy

SPECS = standard_skills().specs()
PICK = next(spec for spec in SPECS if spec.name == 'pick')
TARGET = Pose((1.2, 0.0, 0.02))


def cube(x: float = 0.5, name: str = 'red_cube') -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, 0.0, 0.02)))


def scene(*objects: SceneObject, held: str | None = None, n: int = 1) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0, 0.5)), 0.08, at_home=False)
    return Scene(f's{n}', float(n), objects or (cube(),), 'fake', arm, held, hand=PANDA.hand)


def proof_of_unreachability() -> IKReport:
    return IKReport(False, 400, 0.7052, 0.0, 0.001, 0.01, TARGET, 'base', (0.0,) * 7,
                    reachability=Reachability.PROVED_UNREACHABLE, proof='0.35 m too far')


def unreachable() -> SkillResult:
    report = proof_of_unreachability()
    return failed(Reason.UNREACHABLE, report.sentence, ik=report)


def slipped() -> SkillResult:
    return failed(Reason.GRASP_SLIPPED, 'width fell to 0 mm')


def step(skill: str = 'pick', number: int = 1, **args: object) -> Step:
    args = args or ({'object': 'red_cube'} if skill == 'pick' else {})
    return Step(number, skill, args, f'{skill} step {number}')


def steps(*items: Step, goals: Iterable[Goal] = ()) -> PlanReply:
    return PlanReply(ReplyKind.STEPS, tuple(items), tuple(goals))


HOLDING = Goal(Predicate.HOLDING, 'red_cube')


class FakePerception:
    name = 'fake'

    def __init__(self, *scenes: Scene | PerceptionError, uses_model: bool = False) -> None:
        self.scenes = list(scenes) or [scene(held='red_cube')]
        self.uses_model = uses_model
        self.calls = 0

    def observe(self, ctx) -> Scene:
        if self.uses_model:
            ctx.spend_call('perception')
        found = self.scenes[min(self.calls, len(self.scenes) - 1)]
        self.calls += 1
        if isinstance(found, PerceptionError):
            raise found
        return found


class FakePlanner:
    name = 'fake'

    def __init__(self, *replies: PlanReply, uses_model: bool = False) -> None:
        self.replies = list(replies)
        self.uses_model = uses_model
        self.requests: list = []
        self.before_reply: Callable = lambda ctx: None

    def plan(self, request, ctx) -> PlanReply:
        if self.uses_model:
            ctx.spend_call('planning')
        self.requests.append(request)
        self.before_reply(ctx)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


class FakeSkills:
    def __init__(self, *results: SkillResult) -> None:
        self.results = list(results) or [succeeded()]
        self.executed: list[Step] = []
        self.scenes: list[Scene] = []
        self.stops = 0
        self.before_result: Callable = lambda ctx: None

    def specs(self) -> tuple[SkillSpec, ...]:
        return SPECS

    def execute(self, step, scene, ctx, on_phase) -> SkillResult:
        self.executed.append(step)
        self.scenes.append(scene)
        self.before_result(ctx)
        return self.results[min(len(self.executed), len(self.results)) - 1]

    def stop(self) -> None:
        self.stops += 1


class FakeApprover:
    def __init__(self, approved: bool = True) -> None:
        self.approved = approved
        self.asked = 0
        self.plans: list[Plan] = []
        self.outcomes: list[bool] = []

    def approve(self, request, ctx) -> Approval:
        self.asked += 1
        self.plans.append(request.plan)
        return Approval(self.approved, 'fake', '' if self.approved else 'a person said no')

    def report_outcome(self, success: bool) -> None:
        self.outcomes.append(success)


@dataclass
class Rig:
    """An agent with fakes all around it."""

    planner: FakePlanner
    skills: FakeSkills = field(default_factory=FakeSkills)
    perception: FakePerception = field(default_factory=FakePerception)
    approver: FakeApprover = field(default_factory=FakeApprover)
    check: Callable = lambda plan, scene, skills: []
    config: AgentConfig = field(default_factory=AgentConfig)
    clock: ManualClock = field(default_factory=ManualClock)
    recorder: MemoryRecorder = field(default_factory=MemoryRecorder)
    rehearsal: Any = None
    ports: dict[str, Any] = field(default_factory=dict)  # the optional ones, by name

    @property
    def agent(self) -> Agent:
        return Agent(self.perception, self.planner, self.check, self.skills, self.approver,
                     TablePolicy(self.config), self.recorder, self.config, self.clock,
                     self.rehearsal, **self.ports)

    def run(self, task: str = 'pick up the red cube', ctx=None, resume=None):
        return self.agent.run(task, ctx, resume=resume)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.recorder.events]
