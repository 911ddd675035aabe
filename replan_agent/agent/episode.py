"""What the loop knows of the task it is on: counters, plans, steps, attempts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import BudgetExhausted, Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal
from replan_agent.domain.outcome import FinalReason, StepRecord, TaskResult
from replan_agent.domain.plan import Plan, PlanCause, PlanReply
from replan_agent.domain.scene import Scene

from .guard import RepeatGuard


class Ended(Exception):
    """The task is over. Raised anywhere in the loop, caught once at its edge."""

    def __init__(self, reason: FinalReason, detail: str, success: bool = False) -> None:
        super().__init__(f'{reason.value}: {detail}')
        self.reason = reason
        self.detail = detail
        self.success = success


@dataclass
class Episode:
    """One task from start to end."""

    task: str
    ctx: Context
    config: AgentConfig
    guard: RepeatGuard
    started: float
    scene: Scene | None = None
    goals: tuple[Goal, ...] = ()
    goal_verified: bool | None = None
    replans: int = 0
    total_replans: int = 0
    api_calls: int = 0
    recaptures: int = 0
    last_plan_at: float | None = None
    last_plan_s: float = 0.0
    plans: list[Plan] = field(default_factory=list)
    steps: list[StepRecord] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ctx = replace(self.ctx, spend_call=self.spend_api_call,
                           calls_left=self.api_calls_left)

    @property
    def current_scene(self) -> Scene:
        if self.scene is None:
            raise RuntimeError('no scene yet: the loop perceives before anything else')
        return self.scene

    @property
    def plan_version(self) -> int:
        """The version of the latest plan; 0 before there is one."""
        return self.plans[-1].version if self.plans else 0

    def next_plan(self, reply: PlanReply, cause: PlanCause, planner: str) -> Plan:
        """The planner's steps as the next version of the plan."""
        plan = Plan(self.plan_version + 1, self.task, reply.steps, reply.goals, cause,
                    self.plan_version or None, self.current_scene.scene_id, planner)
        self.plans.append(plan)
        return plan

    def api_calls_left(self) -> int:
        return self.config.max_api_calls - self.api_calls

    def spend_api_call(self, what: str) -> None:
        """Count a model call before it is made; the task ends when there is none left."""
        if self.api_calls >= self.config.max_api_calls:
            raise BudgetExhausted(f'{self.api_calls} of {self.config.max_api_calls} model calls '
                                  f'are spent, and {what} needs another')
        self.api_calls += 1

    def add_time(self, what: str, seconds: float) -> None:
        self.timings[what] = self.timings.get(what, 0.0) + seconds

    def last_failure(self) -> str:
        """The last attempt in one sentence: `pick failed: unreachable — IK did not ...`."""
        if not self.attempts:
            return 'no attempt was made'
        last = self.attempts[-1]
        return f'{last.skill or last.stage.value} failed: {last.reason} — {last.reason_detail}'

    def result(self, end: Ended, planner: str, perception: str,
               extra: Mapping[str, Any]) -> TaskResult:
        return TaskResult(
            task=self.task, success=end.success, final_reason=end.reason,
            final_detail=end.detail, replans=self.replans, total_replans=self.total_replans,
            steps=tuple(self.steps), attempts=tuple(self.attempts), plans=tuple(self.plans),
            goals=self.goals, goal_verified=self.goal_verified, planner=planner,
            perception=perception, api_calls=self.api_calls, recaptures=self.recaptures,
            timings=dict(self.timings), extra=extra,
        )
