# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an agent is made of, and the state of its task: a value for each stage that changes it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig, ApprovalConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.kinds import matches
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.task_result import FinalReason

from . import ports
from .state.approvals import Approvals
from .state.budgets import Budgets
from .state.failures import Failures
from .state.plans import Plans
from .state.sight import SeenScenes
from .state.task_goals import TaskGoals
from .task_progress import State


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, ctx: Context) -> None:
        ctx.cancel.wait(max(0.0, min(seconds, ctx.remaining_s())))
        ctx.check()


@dataclass
class AgentPorts:
    """The ports of an agent. A port that is None is switched off.

    `fragile` are names of objects that no change grips with more force; * stands for any letters.
    `looks_around`: a camera is in the hand, so that looking moves the arm.
    """

    perception: ports.Perception
    planner: ports.Planner
    check_plan: ports.PlanCheck
    skills: ports.Skills
    approver: ports.Approver
    policy: ports.Policy
    recorder: ports.Recorder
    config: AgentConfig = field(default_factory=AgentConfig)
    clock: ports.Clock = field(default_factory=SystemClock)
    rehearsal: ports.Rehearsal | None = None
    reflector: ports.Reflector | None = None
    memory: ports.Memory | None = None
    local_planner: ports.LocalPlanner | None = None
    monitor: ports.Monitor | None = None
    human: ports.Human | None = None
    fragile: tuple[str, ...] = ApprovalConfig().fragile
    looks_around: bool = False


class Ended(Exception):
    """The task is over. Raised anywhere in the loop, caught once, in `Agent.run`."""

    def __init__(self, reason: FinalReason, detail: str, success: bool = False,
                 failure: Attempt | None = None, remedy: str = '',
                 cause: Cause | None = None) -> None:
        super().__init__(f'{reason.value}: {detail}')
        self.reason = reason
        self.success = success
        self.failure = failure  # the attempt that ended the task, if one did
        self.remedy, self.cause = remedy, cause  # what would help, and why, if no attempt says so
        self._sentences = [detail]

    @property
    def detail(self) -> str:
        """The whole sentence with the remarks, each once."""
        return '; '.join(dict.fromkeys(self._sentences))

    def remark(self, text: str) -> None:
        """Add what happened after the end."""
        self._sentences.append(text)


class Edited(Exception):
    """A person wants the plan to be changed. Raised in `approve`, caught where plans are made."""

    def __init__(self, plan: Plan, wish: str) -> None:
        super().__init__(wish)
        self.plan = plan
        self.wish = wish


@dataclass
class Episode:
    """One task from start to end, and the ports of the agent that runs it.

    Each value belongs to the stage that changes it. `facts` go into the record.
    """

    ports: AgentPorts
    task: str
    ctx: Context
    started: float
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sight = SeenScenes()  # PERCEIVE
        self.goals = TaskGoals(self.record)  # PLAN, VERIFY
        self.plans = Plans(self.record)  # PLAN, EXECUTE
        self.approvals = Approvals(self.record)  # APPROVE
        self.failures = Failures(self.ports.config.repeat_guard)  # DIAGNOSE
        self.budgets = Budgets(self.ports.config)
        self.ctx = replace(self.ctx, spend_call=self.budgets.spend_call,
                           calls_left=self.budgets.calls_left,
                           report=lambda message: self.record(events.ModelThinking(message)),
                           tell_exchange=lambda told: self.record(events.ModelCalled(**told)))

    def record(self, event: events.Event) -> None:
        self.ports.recorder.record(event)

    def warn(self, text: str) -> None:
        self.record(events.WarningRaised(text))

    def enter(self, state: State) -> None:
        self.record(events.StateChanged(state.value))

    @property
    def scene(self) -> Scene:
        """The scene as the last look shows it."""
        return self.sight.now

    @property
    def specs(self) -> tuple[SkillSpec, ...]:
        return self.ports.skills.specs()

    def spec_of(self, step: Step) -> SkillSpec | None:
        """What is known of the step's skill; None if no skill has that name.

        For a fragile object, it allows no more force than the step has; after "slower", no more
        speed than a person allows.
        """
        found = find_spec(self.specs, step.skill)
        return (self.approvals.speed_caps.slow(gentle(found, step, self.ports.fragile))
                if found else None)

    def capped(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps, none faster than a person allows."""
        return self.approvals.speed_caps.applied(steps, self.specs)

    @property
    def looked_at_failure(self) -> bool:
        """Whether the scene was taken after the last failure: another look shows nothing new."""
        after, latest = self.failures.case and self.failures.case.after, self.sight.latest
        return bool(self.sight.just_looked and after and latest  # it may show what was felt, too
                    and after.scene_id == latest.scene_id)

    def take_hint(self, hint: str, about: tuple[Step, ...] = ()) -> None:
        """Keep what a person said for the next plans. Things may have been moved meanwhile."""
        self.approvals.take_hint(hint, self.specs, about)
        self.sight.just_looked = False

    def resume(self, earlier: Resume) -> None:
        """Continue an earlier run: its plans, failures, proofs, steps, and a person's hints."""
        known = {plan.version for plan in earlier.plans}
        self.plans.all += earlier.plans
        self.failures.attempts += (a if a.plan_version in known else replace(a, plan_version=0)
                                   for a in earlier.attempts)
        self.failures.reflections += earlier.reflections
        self.failures.reflection = earlier.reflections[-1] if earlier.reflections else None
        self.failures.proofs += earlier.proofs
        self.plans.completed += earlier.completed
        self.plans.undone = earlier.undone
        self.goals.all, self.goals.certain = earlier.goals, earlier.goals_certain
        self.approvals.earlier_threshold = earlier.threshold
        self.approvals.denied = earlier.denied
        self.approvals.hints += earlier.hints
        for hint in earlier.hints:
            self.approvals.slow_down(hint, self.specs)


def gentle(skill: SkillSpec, step: Step, fragile: Sequence[str]) -> SkillSpec:
    """The skill as it may be changed for this step: never more force on what is fragile."""
    force = skill.effect.roles().get('force', '')
    name = skill.acts_on(step.args)
    if not force or name is None or not matches(name, fragile):
        return skill
    schema = dict(skill.argument_schema(force))
    most = step.args.get(force, schema.get('default', schema.get('minimum', 0.0)))
    properties = {**skill.arguments.get('properties', {}), force: {**schema, 'maximum': most}}
    return replace(
        skill, arguments={**skill.arguments, 'properties': properties},
        adjustments={cause: tuple(_without_more(changes, force, most) for changes in ladder
                                  if not changes or _without_more(changes, force, most))
                     for cause, ladder in skill.adjustments.items()})


def _without_more(changes: Mapping[str, Any], force: str, most: float) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if name != force or value <= most}
