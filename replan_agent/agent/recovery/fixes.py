# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Changes to a step that failed now or in the past: tried, and remembered if they help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import AttemptStage, Kind
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.recovery import AS_PLANNED, PLAIN, FailureCase, Fix, Remembered, Situation
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.geometry.situation import build_situation

from ..episode import Episode
from ..remembering import can_be_credited, is_blamed, learn, recall
from .local_actions import Solved
from .own_steps import flaw, own_plan


@dataclass(frozen=True)
class Trial:
    """A fix in use, and what it is for. `counts`: a success is its merit."""

    situation: Situation
    fix: Fix
    counts: bool = True


class Fixing:
    """The changes tried on one step, one after the other.

    `spent` is set once all known changes have failed in this task: the step is not tried again.
    """

    def __init__(self, ep: Episode, plan: Plan, index: int) -> None:
        self._ep = ep
        (self._planned,) = ep.capped((plan.steps[index],))
        self._later = plan.steps[index + 1:]
        self._index = index
        self._tried: list[dict[str, object]] = []
        self._in_use: tuple[Trial, ...] = ()
        self._advice: tuple[Trial, ...] = ()  # of memory, before anything failed
        self.spent: SkillResult | None = None

    def advised(self) -> Step:
        """The step with the changes that memory advises; the planned step without advice."""
        ep = self._ep
        if not ep.ports.config.adapt_retries:
            return self._as_planned()
        failure = self._just_failed()
        if failure is not None:
            return self.next_try(failure)
        firmer = self._after_a_slip()
        if firmer is not None:
            return firmer
        known = [k for k in recall(ep, self._planned, ep.scene) if k.fix.changes]
        better = _together([k for k in known if k.beats_plain and not self._failed_with(k.fix)])
        memory = ep.ports.memory
        if not better or (memory is not None and memory.chooses_plain(better[0])):
            plain = {k.situation.cause: k.situation for k in reversed(known)}
            self._in_use = tuple(Trial(situation, PLAIN) for situation in plain.values())
            return self._as_planned()
        ep.record(events.MemoryRecalled(self._index, tuple(better)))
        # Without a failure before it, a success says nothing about a change.
        self._advice = tuple(Trial(k.situation, k.fix, counts=False) for k in better)
        return self._apply(self._advice)

    def _just_failed(self) -> FailureCase | None:
        """The failure of this same call that led to this plan, if its cause is transient.

        If a new plan repeats the call, the next change is tried instead.
        """
        planned, case = self._planned, self._ep.failures.case
        if (case is None or case.step is None or case.attempt.diagnosis is None
                or case.attempt.stage is not AttemptStage.EXECUTE):
            return None
        same = (case.step.skill == planned.skill
                and case.acted_on(case.step.args) == case.acted_on(planned.args))
        by_chance = case.attempt.diagnosis.kind is Kind.TRANSIENT
        if not (same and by_chance and self._nothing_since()
                and dict(planned.args) in self._tried_in_task()):
            return None
        return case

    def _tried_in_task(self) -> list[dict[str, object]]:
        """The arguments of each try of this skill, in this task and refused here."""
        return [*self._tried, *(dict(a.args) for a in self._ep.failures.own
                                if a.skill == self._planned.skill and not a.is_refused)]

    def _failed_with(self, fix: Fix) -> bool:
        """Whether this step failed in this task with these changes."""
        changed = {**self._planned.args, **fix.changes}
        return changed != dict(self._planned.args) and any(
            changed.items() <= tried.items() for tried in self._tried_in_task())

    def _nothing_since(self) -> bool:
        """Whether no object was handled since the last failure: looks and going home are fine."""
        ep = self._ep
        since = (ep.spec_of(r.step) for r in ep.plans.executed[ep.failures.after_steps:])
        return all(spec is not None and spec.effect.touches_nothing for spec in since)

    def _after_a_slip(self) -> Step | None:
        """The step with the next untried change, if it takes what slipped out on the way."""
        ep, planned, skill = self._ep, self._planned, self._ep.spec_of(self._planned)
        last = next((attempt for attempt in reversed(ep.failures.attempts)
                     if attempt.stage is AttemptStage.EXECUTE), None)
        cause = last.diagnosis.cause if last and last.diagnosis else None
        if (last is None or cause is not Cause.SLIPPED_IN_CARRY or skill is None
                or not skill.effect.takes or not self._nothing_since()
                or skill.acts_on(planned.args) != last.evidence.get('held')):
            return None
        tried = [dict(r.step.args) for r in ep.plans.executed if r.step.skill == planned.skill]
        for changes in skill.adjustments.get(cause.value, ()):
            if {**planned.args, **changes} not in tried:
                fix = Fix(f'{last.evidence["held"]} slipped out on the way', changes)
                # That it can be lifted says nothing about the way.
                return self._apply([Trial(build_situation(planned, ep.scene, skill), fix,
                                          counts=False)])
        return None

    def next_try(self, case: FailureCase) -> Step:
        """The step to try after a failure, with the next untried change if there is one.

        Changes that memory trusts come before those that reflection suggests. Changes for other
        causes stay: what helped against a contact is still there when the grip gets firmer. Advice
        that was there before anything failed does not stay.
        """
        ep = self._ep
        if not ep.ports.config.adapt_retries:
            return self._with(())
        cause = case.cause
        self._in_use = tuple(t for t in self._in_use
                             if t.situation.cause != cause and t not in self._advice)
        situation = build_situation(self._planned, case.before, case.skill, case.attempt)
        suggested = ep.failures.reflections[-1].fix if ep.failures.reflections else None
        remembered = [k.fix for k in ep.failures.remembered if k.is_trusted]
        tried = self._tried_in_task()
        for fix in [*remembered, *([suggested] if suggested else [])]:
            trial = Trial(situation, fix, can_be_credited(case, fix))
            changes = fix.changes or fix.option == AS_PLANNED
            if changes and dict(self._with([*self._in_use, trial]).args) not in tried:
                return self._apply([*self._in_use, trial])
        if ep.failures.reflections and self._failed_changed(case, cause):
            again = 'not tried again: every change that is known for {} failed in this task; '
            self.spent = failed(
                Reason(case.attempt.reason), ('' if case.attempt.evidence.get('guarded') else
                                              again.format(cause)) + case.attempt.reason_detail,
                FailedStage.PRECONDITION)
        return self._with(self._in_use)

    def _failed_changed(self, case: FailureCase, cause: str) -> bool:
        """Whether the skill has changes for this cause, and one of them failed for it before."""
        if case.skill is None or not case.skill.adjustments.get(cause):
            return False
        return any(a.skill == self._planned.skill
                   and a.diagnosis is not None and a.diagnosis.cause == cause
                   and case.acted_on(a.args) == case.acted_on(self._planned.args)
                   and dict(a.args) != dict(self._planned.args) for a in self._ep.failures.own)

    def _with(self, trials: Sequence[Trial]) -> Step:
        """The step with these changes, no faster than a person allows."""
        step = self._planned
        for trial in trials:
            step = trial.fix.applied_to(step)
        return self._ep.capped((step,))[0]

    def _as_planned(self) -> Step:
        self._planned = self._with(())
        self._tried.append(dict(self._planned.args))
        return self._planned

    def continue_from(self, solved: Solved) -> Step:
        """The step as local planning left it. Further changes start from there."""
        self._planned, self.spent = solved.step, None
        self._in_use = tuple(Trial(situation, fix) for situation, fix in solved.lessons)
        return self._as_planned()

    def report_success(self) -> None:
        """Credit the changes that made the difference."""
        self._learn([trial for trial in self._in_use if trial.counts], True)

    def report_failure(self, case: FailureCase) -> None:
        """Count the failure against the changes that should have prevented it."""
        self._learn([trial for trial in self._in_use if trial.fix.option != AS_PLANNED
                     and is_blamed(case, trial.situation, trial.fix)], False)

    def _learn(self, trials: Sequence[Trial], worked: bool) -> None:
        learn(self._ep, ((trial.situation, trial.fix) for trial in trials), worked)

    def _apply(self, trials: Sequence[Trial]) -> Step:
        step, fixes = self._with(trials), [trial.fix for trial in trials]
        shown = Fix(', and '.join(fix.message for fix in fixes),
                    {name: value for fix in fixes for name, value in fix.changes.items()},
                    fixes[-1].option, fixes[-1].source)
        self._tried.append(dict(step.args))
        self._in_use = ()
        if dict(step.args) != dict(self._planned.args) and not self._is_sound(step, shown):
            return self._with(())
        self._in_use = tuple(trials)
        self._ep.record(events.StepAdapted(self._index, step, shown))
        return step

    def _is_sound(self, step: Step, fix: Fix) -> bool:
        """Whether the changed step passes the check and the rehearsal of any plan.

        It is approved before it runs, like any plan.
        """
        ep = self._ep
        later = takewhile(self._is_about_seen, self._later)  # what is gone is no fault of the fix
        plan = own_plan(ep, (step, *later), PlanCause.LOCAL, 'agent', fix.message)
        problem = flaw(ep, plan, self._index)
        if problem:
            ep.warn(f'{step.told} was not tried: {problem}')
        else:
            ep.plans.adapt(plan, self._index, (step,))
        return not problem

    def _is_about_seen(self, step: Step) -> bool:
        spec = self._ep.spec_of(step)
        return spec is None or all(self._ep.scene.get(step.args[name]) is not None
                                   for name in spec.object_arguments if name in step.args)


def _together(known: Sequence[Remembered]) -> list[Remembered]:
    """The best fix for each cause, as far as they do not contradict each other."""
    chosen: list[Remembered] = []
    for one in known:
        fits = all(other.situation.cause != one.situation.cause and all(
            one.fix.changes.get(name, value) == value
            for name, value in other.fix.changes.items()) for other in chosen)
        if fits:
            chosen.append(one)
    return chosen
