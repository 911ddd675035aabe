"""The state of the current task: counters, plans, steps, attempts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain import event as events
from replan_agent.domain.context import BudgetExhausted, Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.fragile import gentle
from replan_agent.domain.goal import Goal
from replan_agent.domain.legal_changes import legal_changes
from replan_agent.domain.local_planning import LocalRecord
from replan_agent.domain.plan import Adaptation, CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.recovery import FailureCase, Reflection, Remembered, Response
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import Scene
from replan_agent.domain.situation import build_situation
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.suggested_plan import SuggestedPlan
from replan_agent.domain.task_result import GOALS_OF_THE_TASK, FinalReason, StepRecord

from .agent_ports import AgentPorts
from .budgets import CALLS, REPLANS, TOTAL_REPLANS, Budgets
from .guard import RepeatGuard
from .ports import Guidance, RehearsalResult
from .speed_caps import SpeedCaps
from .states import State
from .wishes import wants_slower


class Ended(Exception):
    """The task is over. Raised anywhere in the loop, caught once, in `Agent.run`."""

    def __init__(self, reason: FinalReason, detail: str, success: bool = False,
                 failure: Attempt | None = None) -> None:
        super().__init__(f'{reason.value}: {detail}')
        self.reason = reason
        self.success = success
        self.failure = failure  # the attempt that ended the task, if one did
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

    `response` is the policy's decision about the step that ended a plan. `just_looked`: nothing
    has moved since the scene was taken. `scenes` are the first one and one after each step,
    `last_seen` has the latest with each thing. `parts` were seen as things, but are parts of one.
    `open_guidance` is the monitor's guidance until a plan follows it. `approved_calls` are the
    steps of the latest approval, `approved_after` is the number of failed attempts at that time.
    `failed_after` is the number of executed steps at the last failure. `facts` go into the record.
    `earlier_attempts` is how many of the attempts earlier runs made.
    `undone` are steps of an earlier run in a world that has started again, `earlier_threshold` is
    the risk from which that run asked a person. `wishes` are what a
    person wants changed, by the calls of the plan; `asked_to_change` are those plans that the
    planner was asked to change. `speed_caps` hold once a person wanted it slower.
    """

    ports: AgentPorts
    task: str
    ctx: Context
    guard: RepeatGuard
    started: float
    facts: Mapping[str, Any] = field(default_factory=dict)
    scene: Scene | None = None
    scenes: list[Scene] = field(default_factory=list)
    last_seen: dict[str, Scene] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    just_looked: bool = False
    goals: tuple[Goal, ...] = ()
    goals_certain: bool = False
    goal_verified: bool | None = None
    left_alone: frozenset[str] = frozenset()  # what the task says to leave where it is
    suggested_plan: SuggestedPlan | None = None
    recaptures: int = 0
    last_plan_at: float | None = None
    last_plan_s: float = 0.0
    plans: list[Plan] = field(default_factory=list)
    approvals: list[events.ApprovalDecided] = field(default_factory=list)
    approved_after: int = 0
    approved_calls: frozenset[str] = frozenset()
    wishes: dict[tuple[str, ...], str] = field(default_factory=dict)
    asked_to_change: set[tuple[str, ...]] = field(default_factory=set)
    speed_caps: SpeedCaps = field(default_factory=SpeedCaps)
    steps: list[StepRecord] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    earlier_attempts: int = 0
    completed: list[CompletedStep] = field(default_factory=list)
    undone: tuple[CompletedStep, ...] = ()
    denied: bool = False  # a person denied a plan or wanted it changed: a person is asked
    earlier_threshold: float | None = None
    timings: dict[str, float] = field(default_factory=dict)
    case: FailureCase | None = None
    failed_after: int = 0
    response: Response | None = None
    remembered: tuple[Remembered, ...] = ()
    reflections: list[Reflection] = field(default_factory=list)
    reflection: Reflection | None = None  # about the current failure
    local: list[LocalRecord] = field(default_factory=list)
    guidance: list[Guidance] = field(default_factory=list)
    open_guidance: str = ''
    hints: list[str] = field(default_factory=list)
    context: Mapping[str, Any] = field(default_factory=dict)
    rehearsed: RehearsalResult | None = None

    def __post_init__(self) -> None:
        self.budgets = Budgets(self.ports.config)
        self.ctx = replace(self.ctx, spend_call=self.spend_api_call,
                           calls_left=self.api_calls_left,
                           report=lambda message: self.record(events.ModelThinking(message)),
                           tell_exchange=lambda told: self.record(events.ModelCalled(**told)))

    def resume(self, earlier: Resume) -> None:
        """Continue an earlier run: its plans, failures, proofs, steps, and a person's hints."""
        self.plans += earlier.plans
        known = {plan.version for plan in earlier.plans}
        self.attempts += (attempt if attempt.plan_version in known
                          else replace(attempt, plan_version=0) for attempt in earlier.attempts)
        self.earlier_attempts = len(self.attempts)
        self.reflections += earlier.reflections
        self.reflection = self.reflections[-1] if self.reflections else None
        self.guard.trust(earlier.proofs)
        self.completed += earlier.completed
        self.undone = earlier.undone
        self.earlier_threshold, self.denied = earlier.threshold, earlier.denied
        self.goals, self.goals_certain = earlier.goals, earlier.goals_certain
        self.hints += earlier.hints
        for hint in earlier.hints:
            self._slow_down(hint)

    @property
    def own_attempts(self) -> list[Attempt]:
        """The attempts of this run. The world may have changed since those of an earlier one."""
        return self.attempts[self.earlier_attempts:]

    def take_hint(self, hint: str, about: tuple[Step, ...] = ()) -> None:
        """Keep what a person said for the next plans. Things may have been moved meanwhile."""
        self.record(events.HumanAnswered(hint))
        self._slow_down(hint, about)
        self.hints.append(hint)
        self.just_looked = False

    def _slow_down(self, hint: str, about: tuple[Step, ...] = ()) -> None:
        """Lower the speed of all later steps, if the hint asks for it."""
        if wants_slower(hint):
            self.speed_caps.lower(about, self.ports.skills.specs())
            self.record(events.WarningRaised(f'a person said {hint!r}: from now on '
                                             f'{self.speed_caps}'))

    def capped(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps, none faster than a person allows."""
        return self.speed_caps.applied(steps, self.ports.skills.specs())

    def record(self, event: events.Event) -> None:
        self.ports.recorder.record(event)

    def enter(self, state: State) -> None:
        self.record(events.StateChanged(state.value))

    @property
    def current_scene(self) -> Scene:
        if self.scene is None:
            raise RuntimeError('no scene yet: the loop perceives before anything else')
        return self.scene

    def spec_of(self, step: Step) -> SkillSpec | None:
        """What is known of the step's skill; None if no skill has that name.

        For a fragile object, it allows no more force than the step has; after "slower", no more
        speed than a person allows.
        """
        found = find_spec(self.ports.skills.specs(), step.skill)
        return self.speed_caps.slow(gentle(found, step, self.ports.fragile)) if found else None

    @property
    def looked_at_failure(self) -> bool:
        """Whether the scene was taken after the last failure: another look shows nothing new."""
        return self.just_looked and self.case is not None and self.case.after is self.scene

    @property
    def replans(self) -> int:
        """New plans after failures in this task."""
        return self.budgets.spent[REPLANS]

    @property
    def total_replans(self) -> int:
        return self.budgets.spent[TOTAL_REPLANS]

    @property
    def api_calls(self) -> int:
        return self.budgets.spent[CALLS]

    def is_approved(self, step: Step) -> bool:
        """Whether the latest approval covers this step and nothing failed since."""
        return step.call in self.approved_calls and len(self.attempts) == self.approved_after

    @property
    def plan_version(self) -> int:
        """The version of the latest plan; 0 before the first."""
        return self.plans[-1].version if self.plans else 0

    @property
    def planned(self) -> Plan | None:
        """The planner's latest plan."""
        return self.plans[-1] if self.plans else None

    def next_plan(self, steps: tuple[Step, ...], goals: tuple[Goal, ...], cause: PlanCause,
                  by_agent: str = '') -> Plan:
        """These steps as the next version of the plan. `by_agent` says why the agent made them."""
        plan = Plan(self.plan_version + 1, self.task, self.capped(steps), goals, cause,
                    self.plan_version or None, self.current_scene.scene_id,
                    'agent' if by_agent else self.ports.planner.name,
                    by_agent or self.why_replan(cause), {} if by_agent else self.context)
        self.plans.append(plan)
        return plan

    def adapt_plan(self, adaptation: Adaptation, to_run: tuple[Step, ...]) -> None:
        """Note the agent's own steps in the latest plan. It stays the same version."""
        if self.plans:
            latest = self.plans[-1]
            self.plans[-1] = replace(latest, adaptations=(*latest.adaptations, adaptation))
            self.record(events.PlanAdapted(self.plans[-1], to_run))

    def why_replan(self, cause: PlanCause) -> str:
        """Why another plan is made, in one sentence."""
        if cause is PlanCause.ERROR:
            return self.last_failure()
        if cause is PlanCause.MONITOR and self.guidance:
            return f'plan monitor: {self.guidance[-1].text}'
        if cause is PlanCause.HUMAN and self.hints:
            return f'a person said: {self.hints[-1]}'
        return 'the plan asked for another look' if cause is PlanCause.ADAPTIVE else ''

    def take_suggested_plan(self, suggested_plan: SuggestedPlan | None) -> None:
        """Set the planner's suggested plan. Goals of the earlier one that are met stay."""
        if suggested_plan is not None and self.ports.config.planning_enable:
            new = (
                suggested_plan
                if self.suggested_plan is None
                else self.suggested_plan.revised(suggested_plan.goals)
            )
            self.keep_suggested_plan(new.seen_in(self.current_scene))

    def keep_suggested_plan(self, suggested_plan: SuggestedPlan) -> None:
        """Set the suggested plan. A change is recorded as an event."""
        if suggested_plan != self.suggested_plan:
            self.suggested_plan = suggested_plan
            self.record(events.ProgressSeen(suggested_plan.progress_step,
                                            tuple(goal.text for goal in suggested_plan.goals)))

    @contextmanager
    def keeping_current_failure(self) -> Iterator[None]:
        """Failures in this block are recorded but do not replace the current failure."""
        kept = self.case, self.remembered, self.failed_after, self.reflection
        try:
            yield
        finally:
            self.case, self.remembered, self.failed_after, self.reflection = kept

    def recall(self, step: Step, before: Scene, attempt: Attempt | None = None,
               ) -> tuple[Remembered, ...]:
        """Similar situations of the past. Changes that the skill does not allow are left out."""
        if self.ports.memory is None:
            return ()
        skill = self.spec_of(step)
        found = self.ports.memory.recall(build_situation(step, before, skill, attempt))
        self.record_memory_warnings()
        return tuple(replace(known, fix=replace(
            known.fix, changes=legal_changes(skill, known.fix.changes))) for known in found)

    def record_memory_warnings(self) -> None:
        """Record the memory's warnings. They never stop a task."""
        for warning in self.ports.memory.warnings() if self.ports.memory else ():
            self.record(events.WarningRaised(warning))

    @property
    def goals_named_by(self) -> str:
        """Who named the goals: 'task' (its own words), else the planner; '' without goals."""
        if not self.goals:
            return ''
        return GOALS_OF_THE_TASK if self.goals_certain else self.ports.planner.name

    @property
    def threshold(self) -> float | None:
        """The risk from which a person was asked last, in this run or in an earlier one."""
        return next((decided.threshold for decided in reversed(self.approvals)
                     if decided.threshold is not None), self.earlier_threshold)

    def set_goals(self, goals: tuple[Goal, ...], certain: bool) -> None:
        """Set the goals. A change is recorded as an event."""
        if (goals, certain) != (self.goals, self.goals_certain):
            self.goals, self.goals_certain = goals, certain
            self.budgets.set_goals(goals, self.current_scene)
            self.record(events.GoalsSet(goals, certain))

    def out_of_replans(self, detail: str) -> Ended:
        """The end after the last failure, if no plan may follow."""
        failure = self.failure if self.attempts else None
        unmet = failure is not None and failure.stage is AttemptStage.GOAL
        return Ended(FinalReason.GOAL_NOT_MET if unmet else FinalReason.REPLAN_EXHAUSTED, detail,
                     failure=failure)

    def api_calls_left(self) -> int:
        return self.budgets.left(CALLS)

    def spend_api_call(self, what: str) -> None:
        """Count a model call before it is made. Ends the task if no call is left."""
        if self.api_calls_left() <= 0:
            raise BudgetExhausted(f'{self.api_calls} model calls are spent '
                                  f'({self.budgets.limit(CALLS)}), and {what} needs another')
        self.budgets.spend(CALLS)

    def add_time(self, what: str, seconds: float) -> None:
        self.timings[what] = self.timings.get(what, 0.0) + seconds

    @property
    def failure(self) -> Attempt:
        """The attempt that matters: of the step itself, not of actions around it."""
        return self.case.attempt if self.case else self.attempts[-1]

    @property
    def why_it_failed(self) -> str:
        """Why the last attempt failed, for people: `the target is 1.20 m from the base, ...`."""
        return self.reflection.root_cause if self.reflection else self.failure.reason_detail

    def last_failure(self) -> str:
        """The last attempt in one sentence: `pick failed: unreachable — IK did not ...`."""
        if not self.attempts:
            return 'no attempt was made'
        last = self.failure
        what = last.stage.value if last.is_refused or not last.skill else last.skill
        return f'{what} failed: {last.reason} — {last.reason_detail}'
