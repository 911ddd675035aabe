"""Changes to a step that failed now or in the past: tried, and remembered if they help."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import AttemptStage, Kind
from replan_agent.domain.plan import Adaptation, Plan, PlanCause, Step
from replan_agent.domain.recovery import AS_PLANNED, FailureCase, Fix, Situation
from replan_agent.domain.situation import build_situation

from .episode import Episode
from .local_actions import Lesson, Solved
from .own_plans import flaw, own_plan


class Fixing:
    """The changes tried on one step, one after the other."""

    def __init__(self, ep: Episode, plan: Plan, index: int) -> None:
        self._ep = ep
        self._planned = plan.steps[index]
        self._later = plan.steps[index + 1:]
        self._index = index
        self._tried: list[dict[str, object]] = []
        self._last: Lesson | None = None
        self._on_trial: tuple[Lesson, ...] = ()  # what the next try tests

    def advised(self) -> Step:
        """The step with the change that memory advises; the planned step without advice."""
        ep = self._ep
        if not ep.ports.config.adapt_retries:
            return self._as_planned()
        failure = self._just_failed()
        if failure is not None:
            return self.next_try(failure)
        firmer = self._after_a_slip()
        if firmer is not None:
            return firmer
        for known in ep.recall(self._planned, ep.current_scene):
            if known.fix.changes and known.is_trusted:
                ep.record(events.MemoryRecalled(self._index, (known,)))
                return self._apply(known.fix, known.situation)
        return self._as_planned()

    def _just_failed(self) -> FailureCase | None:
        """The failure of this same call that led to this plan, if its cause is transient.

        If a new plan repeats the call, the next change is tried instead.
        """
        planned, case = self._planned, self._ep.case
        if (case is None or case.step is None or case.attempt.diagnosis is None
                or case.attempt.stage is not AttemptStage.EXECUTE):
            return None
        same = (case.step.skill == planned.skill
                and case.acted_on(case.step.args) == case.acted_on(planned.args))
        by_chance = case.attempt.diagnosis.kind is Kind.TRANSIENT
        tried = [dict(a.args) for a in self._ep.attempts if a.skill == planned.skill]
        if not (same and by_chance and self._nothing_since() and dict(planned.args) in tried):
            return None
        self._tried = tried
        return case

    def _nothing_since(self) -> bool:
        """Whether no object was handled since the last failure: looks and going home are fine."""
        since = (self._ep.spec_of(r.step) for r in self._ep.steps[self._ep.failed_after:])
        return all(spec is not None and spec.effect.touches_nothing for spec in since)

    def _after_a_slip(self) -> Step | None:
        """The step with the next untried change, if it takes what slipped out on the way."""
        ep, planned, skill = self._ep, self._planned, self._ep.spec_of(self._planned)
        last = next((a for a in reversed(ep.attempts) if a.stage is AttemptStage.EXECUTE), None)
        cause = last.diagnosis.cause if last and last.diagnosis else None
        if (last is None or cause is not Cause.SLIPPED_IN_CARRY or skill is None
                or not skill.effect.takes or not self._nothing_since()
                or skill.acts_on(planned.args) != last.evidence.get('held')):
            return None
        tried = [dict(r.step.args) for r in ep.steps if r.step.skill == planned.skill]
        for changes in skill.adjustments.get(cause.value, ()):
            if {**planned.args, **changes} not in tried:
                fix = Fix(f'{last.evidence["held"]} slipped out on the way', changes)
                step = self._apply(fix, build_situation(planned, ep.current_scene, skill))
                self._on_trial = ()  # that it can be lifted says nothing about the way
                return step
        return None

    def next_try(self, case: FailureCase) -> Step:
        """The step to try after a failure, with the next untried change if there is one.

        Changes that memory trusts come before those that reflection suggests.
        """
        ep = self._ep
        if not ep.ports.config.adapt_retries:
            return self._planned
        suggested = ep.reflections[-1].fix if ep.reflections else None
        remembered = [k.fix for k in ep.remembered if k.is_trusted]
        for fix in [*remembered, *([suggested] if suggested else [])]:
            changes = fix.changes or fix.option == AS_PLANNED
            if changes and dict(fix.applied_to(self._planned).args) not in self._tried:
                return self._apply(fix, build_situation(self._planned, case.before, case.skill,
                                                      case.attempt))
        if self._last is None:
            return self._planned
        self._on_trial = (self._last,)
        return self._last[1].applied_to(self._planned)

    def _as_planned(self) -> Step:
        self._tried.append(dict(self._planned.args))
        return self._planned

    def continue_from(self, solved: Solved) -> Step:
        """The step as local planning left it. Further changes start from there."""
        self._planned, self._last, self._on_trial = solved.step, None, solved.lessons
        return self._as_planned()

    def report_outcome(self, worked: bool | None) -> None:
        """Report how the changed step went; None if the outcome says nothing about the change."""
        memory, tried = self._ep.ports.memory, self._on_trial
        self._on_trial = ()
        if memory is not None and worked is not None and tried:
            for situation, fix in tried:
                memory.learn(situation, fix, worked)
            self._ep.record_memory_warnings()

    def _apply(self, fix: Fix, situation: Situation) -> Step:
        step = fix.applied_to(self._planned)
        self._tried.append(dict(step.args))
        if dict(step.args) != dict(self._planned.args) and not self._is_sound(step, fix):
            return self._planned
        self._last = (situation, fix)
        self._on_trial = (self._last,)
        self._ep.record(events.StepAdapted(self._index, step, fix))
        return step

    def _is_sound(self, step: Step, fix: Fix) -> bool:
        """Whether the changed step passes the check and the rehearsal of any plan.

        It is approved before it runs, like any plan.
        """
        ep = self._ep
        plan = own_plan(ep, (step, *self._later), PlanCause.LOCAL, 'agent', fix.message)
        problem = flaw(ep, plan, self._index)
        if problem:
            ep.record(events.WarningRaised(f'{step.call} was not tried: {problem}'))
        else:
            ep.adapt_plan(Adaptation(self._index, (step,), plan.cause, plan.reason), plan.steps)
        return not problem
