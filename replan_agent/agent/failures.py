"""DIAGNOSE: every failed attempt is diagnosed, with its evidence, before the next action."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.credit import can_affect, failure_cause
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.local_planning import LocalRecord
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.recovery import FailureCase, Remembered, Response, Situation
from replan_agent.domain.scene import Scene
from replan_agent.domain.situation import build_situation
from replan_agent.domain.skill import FailedStage, Reason, SkillResult
from replan_agent.domain.task_result import FinalReason

from . import ports
from .budgets import REPLANS
from .episode import Ended, Episode
from .looking import update_scene
from .states import State

# Doing the step again does not give what was asked for.
SPOILED = frozenset({Cause.FELL, Cause.PUSH_WENT_TOO_FAR})
MOVED = (FailedStage.EXECUTION, FailedStage.POSTCONDITION)  # the scene may have changed


def failed_step(ep: Episode, plan: Plan, index: int, step: Step, result: SkillResult,
                guarded: bool = False, local_state: str = '') -> FailureCase:
    """Diagnose and record a failed step. After a motion, look at the scene first.

    After a stop there is no look: the task ends, and the camera may be gone as well.
    `index` is that of the step in the plan, or of the step that it belongs to.
    """
    detail, before = result.reason_detail, ep.current_scene
    if guarded:
        if result.proved_impossible:
            detail = f'not tried again in an unchanged scene (repeat_guard): {detail}'
        ep.record(events.RepeatGuarded(index, step, detail))
    ep.guard.note(step, before, result)
    known = {'local_state': local_state, 'held': before.held,
             'not_as_imagined': [] if local_state else surprises(ep.local)}
    evidence = {**result.evidence, **{key: value for key, value in known.items() if value}}
    attempt = Attempt(index, step.skill, dict(step.args),
                      result.reason.value if result.reason else '', detail,
                      AttemptStage.EXECUTE, plan.version, result.ik, evidence=evidence,
                      failed_stage=result.stage, cause=result.cause, blockers=result.blockers)
    after = None
    try:
        unseen = guarded or result.stage not in MOVED or result.reason is Reason.STOPPED
        after = None if unseen else _look_after(ep)
    finally:  # record the attempt even if cancelled, out of time or budget
        case = record_attempt(ep, attempt, step, before, after, executed=not guarded)
    _end_if_spoiled(ep, case)
    return case


def surprises(plannings: Iterable[LocalRecord]) -> list[str]:
    """What local plannings saw other than imagined."""
    return [f'{node.option.name}: {node.surprise}' for record in plannings
            for node in record.nodes if node.surprise]


def _end_if_spoiled(ep: Episode, case: FailureCase) -> None:
    """End a task without goals if no later step can show that it was done after all."""
    diagnosis = case.attempt.diagnosis
    if not ep.goals and diagnosis is not None and diagnosis.cause in SPOILED:
        raise Ended(FinalReason.GOAL_NOT_MET,
                    f'{ep.last_failure()}; the same step again would not undo that')


def _look_after(ep: Episode) -> Scene | None:
    """The scene after a failure; None if unavailable (the next look reports why)."""
    ep.enter(State.DIAGNOSING)
    if ep.ports.perception.uses_model and ep.api_calls_left() <= 0:
        return None
    try:
        update_scene(ep)
    except ports.PerceptionError:
        return None
    return ep.current_scene


def record_attempt(ep: Episode, attempt: Attempt, step: Step | None = None,
                   before: Scene | None = None, after: Scene | None = None,
                   executed: bool = True) -> FailureCase:
    """Diagnose an attempt and record it before the next one starts.

    Memory keeps it, unless it was only repeated and not `executed`.
    """
    case = FailureCase(attempt, before or ep.current_scene, step, after, tuple(ep.attempts),
                       ep.spec_of(step) if step else None, ep.left_alone, ep.goals)
    seen = {'changes': case.changes.as_dict()} if case.changes else {}
    attempt = replace(attempt, diagnosis=ep.ports.policy.diagnose(case),
                      evidence={**attempt.evidence, **seen})
    case = replace(case, attempt=attempt)
    ep.attempts.append(attempt)
    ep.case, ep.reflection = case, None
    if attempt.stage is AttemptStage.EXECUTE:
        ep.failed_after = len(ep.steps)
    ep.record(events.AttemptRecorded(attempt))
    ep.remembered = _recall(ep, case)
    reflect(ep, case, deep=False)
    if executed:
        _remember(ep, case)
    return case


def _remember(ep: Episode, case: FailureCase) -> None:
    """Keep the failure in memory, with the task and the cause in words."""
    if ep.ports.memory is None:
        return
    attempt, cause = case.attempt, failure_cause(case)
    situation = (build_situation(case.step, case.before, case.skill, attempt) if case.step
                 else Situation('', attempt.reason, cause))
    changes = {name: value for name, value in attempt.args.items()
               if case.skill and name in case.skill.adjustable}
    said = ep.reflections[-1].root_cause if ep.reflections else attempt.reason_detail
    ep.ports.memory.remember_failure(situation, ep.task, said, as_planned=not (
        changes and can_affect(case.skill, cause, changes)))
    ep.record_memory_warnings()


def respond(ep: Episode, case: FailureCase, retries: int = 0, local: int = 0,
            may_work_around: bool = True) -> Response:
    """The policy's decision about a failure."""
    diagnosis = case.attempt.diagnosis
    assert diagnosis is not None  # recorded attempts are diagnosed
    tries = ports.RetryCounts(retries, local,
                        may_work_around and ep.ports.local_planner is not None)
    is_step = case.step is not None and 'rehearsed' not in case.attempt.evidence
    response = ep.ports.policy.respond(diagnosis, tries, is_step)
    cause = diagnosis.cause.value if diagnosis.cause else ''
    ep.record(events.PolicyDecided(case.attempt.step_idx, response.value, cause,
                                   ep.why_it_failed))
    return response


def respond_to_plan(ep: Episode) -> Response:
    """What to do after a failed plan: REPLAN or HUMAN. Any other response ends the task."""
    ep.budgets.failed_in_row += 1
    assert ep.case is not None  # a plan fails with a recorded attempt
    response, ep.response = ep.response or respond(ep, ep.case), None
    if response is Response.REPLAN and 0 < ep.ports.config.human_after <= ep.budgets.failed_in_row:
        response = Response.HUMAN
    if response not in (Response.REPLAN, Response.HUMAN):
        raise ep.out_of_replans(f'{ep.last_failure()}; no new plan is made after this '
                                '(replanning, replan_on_* settings)')
    if response is Response.REPLAN and ep.budgets.left(REPLANS) > 0:
        reflect(ep, ep.case, deep=True)
    return response


def reflect(ep: Episode, case: FailureCase, deep: bool) -> None:
    """Record why it failed and what may help; the next plan gets it too."""
    if ep.ports.reflector is None:
        return
    reflection = ep.ports.reflector.reflect(case, ep.remembered, deep, _limited(ep))
    ep.reflection = reflection
    if ep.reflections and ep.reflections[-1] == reflection:
        return
    ep.reflections.append(reflection)
    ep.record(events.ReflectionMade(case.attempt.step_idx, reflection))


def _limited(ep: Episode) -> Context:
    return ep.ctx.within(ep.ports.config.replan_timeout)


def _recall(ep: Episode, case: FailureCase) -> tuple[Remembered, ...]:
    """Similar situations of the past."""
    found = ep.recall(case.step, case.before, case.attempt) if case.step else ()
    if found:
        ep.record(events.MemoryRecalled(case.attempt.step_idx, found))
    return found
