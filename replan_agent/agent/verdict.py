"""Why a task failed, told for people: the failures that nothing later made good."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import find_spec
from replan_agent.domain.task_result import FinalReason

from .episode import Ended, Episode
from .state.failures import Failed

REMEDIES = {FinalReason.VLM_TRANSPORT: (
    'a model that answers at this address: `curl URL/models` shows it as JSON; or the planner '
    'search, which needs no model')}
MOST_TOLD = 3
# The end says it all: a person, the model or a part that is gone ended the task.
OF_THE_END = frozenset({
    FinalReason.CANCELLED, FinalReason.STOPPED, FinalReason.APPROVAL_DENIED,
    FinalReason.VLM_TRANSPORT, FinalReason.UNRECOGNIZED_PROMPT, FinalReason.CONFLICTING_GOALS,
    FinalReason.GAVE_UP, FinalReason.NODE_LOST, FinalReason.INTERNAL_ERROR})
# These say that something failed, hardly why: another cause explains more.
VAGUE = frozenset({
    Cause.VERIFICATION_FAILED, Cause.PRECONDITION_FAILED, Cause.BAD_ARGUMENTS, Cause.NO_POSTURE,
    Cause.GOAL_UNMET, Cause.SEEN_TOO_LONG_AGO})


@dataclass(frozen=True)
class Verdict:
    """Why the task failed, what would make it possible, and the causes that `why` tells."""

    why: str = ''
    would_help: str = ''
    causes: tuple[str, ...] = ()


def verdict(ep: Episode, end: Ended) -> Verdict:
    """What is told about the end: a failure survives until its step succeeds.

    A refused plan, and a step that is not tried again, are consequences. They are told only if
    nothing failed before. Of each object the first failure and the last one are told.
    """
    if end.success:
        return Verdict()
    would_help = REMEDIES.get(end.reason, '')
    told = [] if end.reason in OF_THE_END else _told(ep)
    if not told and end.failure is not None and end.failure.reason_detail:
        told = [failed for failed in ep.failures.told if failed.attempt is end.failure]
    if not told:
        return Verdict(end.detail, would_help)
    diagnoses = [d for failed in told if (d := failed.attempt.diagnosis)]
    return Verdict('; then '.join(dict.fromkeys(failed.why for failed in told)),
                   next((d.remedy for d in reversed(diagnoses) if d.remedy), would_help),
                   tuple(dict.fromkeys(d.cause.value for d in diagnoses if d.cause)))


def _told(ep: Episode) -> list[Failed]:
    """The failures of this run that explain its end, in their order."""
    left = list(_left(ep))
    of_each: dict[str, list[Failed]] = {}
    for failed in [f for f in left if not _is_vague(f.attempt)] or left[-1:]:
        of_each.setdefault(_about(ep, failed.attempt), []).append(failed)
    ends = [f for found in of_each.values() for f in (found[0], found[-1])]
    return [f for f in left if any(f is each for each in ends)][-MOST_TOLD:]


def _left(ep: Episode) -> Iterator[Failed]:
    """The failures, but for refused plans and repeats, whose step did not succeed later."""
    for failed in ep.failures.told:
        attempt = failed.attempt
        is_step = attempt.stage is not AttemptStage.GOAL and not attempt.is_refused
        is_last = attempt.stage is AttemptStage.GOAL and failed is ep.failures.told[-1]
        aside = attempt.evidence.get('local_state') or attempt.evidence.get('guarded')
        if (is_step or is_last) and not aside and not _succeeded_later(ep, failed):
            yield failed


def _succeeded_later(ep: Episode, failed: Failed) -> bool:
    """Whether the same skill succeeded with the same object after this failure."""
    skill, about = failed.attempt.skill, _about(ep, failed.attempt)
    return any(record.result.success and record.step.skill == skill
               and _about(ep, record.step) == about
               for record in ep.plans.executed[failed.after_steps:])


def _about(ep: Episode, call: Attempt | Step) -> str:
    """The object that the step names and handles; '' if it names none."""
    spec = find_spec(ep.specs, call.skill)
    return (spec.acts_on(call.args) if spec else None) or ''


def _is_vague(attempt: Attempt) -> bool:
    cause = attempt.diagnosis.cause if attempt.diagnosis else attempt.cause
    return cause in VAGUE or (cause is Cause.APPROACH_BLOCKED and not attempt.blockers)
