# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""DIAGNOSE: every failed attempt is diagnosed, with its evidence, before the next action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.recovery import FailureCase, Response, RetryCounts
from replan_agent.domain.scene import Scene, was_felt
from replan_agent.domain.skill import FailedStage, Reason, SkillResult
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.out_of_sight import unseen

from .episode import Ended, Episode
from .looking import update_scene
from .remembering import recall_similar, remember_failure
from .state.budgets import REPLANS
from .task_progress import State

# Doing the step again does not give what was asked for.
SPOILED = frozenset({Cause.FELL, Cause.PUSH_WENT_TOO_FAR})
OF_CONTACT = frozenset({Cause.UNEXPECTED_CONTACT, Cause.NO_WAY_OUT})  # if nothing seen was touched
MOVED = (FailedStage.EXECUTION, FailedStage.POSTCONDITION)  # the scene may have changed


def failed_step(ep: Episode, plan: Plan, index: int, step: Step, result: SkillResult,
                guarded: bool = False, local_state: str = '') -> FailureCase:
    """Diagnose and record a failed step. After a motion, look at the scene first.

    After a stop there is no look: the task ends, and the camera may be gone as well.
    `index` is that of the step in the plan, or of the step that it belongs to.
    """
    detail, before = result.reason_detail, ep.scene
    if guarded:
        if result.proved_impossible:
            detail = f'not tried again in an unchanged scene (repeat_guard): {detail}'
        ep.record(events.RepeatGuarded(index, step, detail))
    ep.failures.note_proof(step, before, result)
    attempt = attempt_of(index, step, replace(result, reason_detail=detail),
                         AttemptStage.EXECUTE, plan.version, local_state=local_state,
                         held=before.held, guarded=guarded)
    after = None
    try:
        blind = guarded or result.stage not in MOVED or result.reason is Reason.STOPPED
        after = None if blind else _look_after(ep)
    finally:  # record the attempt even if cancelled, out of time or budget
        case = record_attempt(ep, attempt, step, before, after, executed=not guarded)
        _remember_felt(ep, case)
    thing, forget = before.get(case.handled or ''), getattr(ep.ports.perception, 'forget', None)
    if result.reason is Reason.GRASP_MISSED and 'gripper_width' in result.evidence and (
            forget and thing in unseen(before) and not guarded):
        forget(thing.name)  # it was only believed to be there
    _end_if_spoiled(ep, case)
    return case


def _remember_felt(ep: Episode, case: FailureCase) -> None:
    """What was touched and is not seen is avoided from now on, in this task."""
    felt, diagnosis = case.attempt.evidence, case.attempt.diagnosis
    if ('felt_at' in felt and case.after and not case.after.stale and not case.changes.moved
            and (felt.get('felt_sure', True) or not case.effect.slides)  # by what it pushes
            and 'closed_width' not in felt and diagnosis and diagnosis.cause in OF_CONTACT
            and ep.sight.feel(felt['felt_at'], felt['pushed'], case.handled,
                              felt.get('felt_sure', True), felt.get('tool_at', ()))):
        at = ', '.join(f'{v:.2f}' for v in felt['felt_at'])
        ep.warn(f'something that is not seen is at ({at}) m: {ep.sight.felt[-1].name} from now on')
    blockers = case.attempt.blockers
    if blockers and all(map(was_felt, blockers)) and ep.sight.forget_felt():
        ep.warn('what was felt leaves no way: its place is a guess, and is forgotten')


def attempt_of(index: int, step: Step, result: SkillResult, stage: AttemptStage, version: int,
               **known: Any) -> Attempt:
    """A failed result as an attempt. What is `known` beside its evidence is added to that."""
    evidence = {**result.evidence, **{key: value for key, value in known.items() if value}}
    return Attempt(index, step.skill, dict(step.args),
                   result.reason.value if result.reason else '', result.reason_detail, stage,
                   version, result.ik, evidence=evidence, failed_stage=result.stage,
                   cause=result.cause, blockers=result.blockers)


def _end_if_spoiled(ep: Episode, case: FailureCase) -> None:
    """End a task without goals if no later step can show that it was done after all."""
    diagnosis = case.attempt.diagnosis
    if not ep.goals.all and diagnosis is not None and diagnosis.cause in SPOILED:
        raise Ended(FinalReason.GOAL_NOT_MET,
                    f'{ep.failures.sentence}; the same step again would not undo that')


def _look_after(ep: Episode) -> Scene | None:
    """The scene after a failure; None if unavailable (the next look reports why)."""
    ep.enter(State.DIAGNOSING)
    if ep.ports.perception.uses_model and ep.budgets.calls_left() <= 0:
        return None
    try:
        update_scene(ep)
    except PerceptionError:
        return None
    return ep.scene


def record_attempt(ep: Episode, attempt: Attempt, step: Step | None = None,
                   before: Scene | None = None, after: Scene | None = None,
                   executed: bool = True) -> FailureCase:
    """Diagnose and record an attempt. Memory keeps it if it was `executed`, not only repeated."""
    case = FailureCase(attempt, before or ep.scene, step, after, tuple(ep.failures.attempts),
                       ep.spec_of(step) if step else None, ep.goals.staying(ep.scene),
                       ep.goals.all)
    seen = {'changes': case.changes.as_dict()} if case.changes else {}
    attempt = replace(attempt, diagnosis=ep.ports.policy.diagnose(case),
                      evidence={**attempt.evidence, **seen})
    case = replace(case, attempt=attempt)
    ep.failures.add(case, len(ep.plans.executed))
    ep.record(events.AttemptRecorded(attempt))
    ep.failures.remembered = recall_similar(ep, case)
    reflect(ep, case, deep=False)
    if executed:
        remember_failure(ep, case)
    return case


def refuse(ep: Episode, reason: str, detail: str, index: int | None = None,
           plan: Plan | None = None, cause: Cause | None = None,
           blockers: tuple[str, ...] = ()) -> None:
    """Record a refused or missing plan as a failed attempt; `index` is the step to blame."""
    step = plan.steps[index] if plan is not None and index is not None else None
    skill = step.skill if step is not None and isinstance(step.skill, str) else ''
    args = dict(step.args) if step is not None and isinstance(step.args, Mapping) else {}
    record_attempt(ep, Attempt(index or 0, skill, args, reason, detail, AttemptStage.PLAN,
                               ep.plans.version, cause=cause, blockers=blockers))


def respond(ep: Episode, case: FailureCase, retries: int = 0, local: int = 0,
            may_work_around: bool = True, spent: bool = False) -> Response:
    """The policy's decision about a failure."""
    diagnosis = case.attempt.diagnosis
    assert diagnosis is not None  # recorded attempts are diagnosed
    tries = RetryCounts(retries, local, may_work_around and ep.ports.local_planner is not None,
                        spent)
    is_step = case.step is not None and 'rehearsed' not in case.attempt.evidence
    response = ep.ports.policy.respond(diagnosis, tries, is_step)
    ep.record(events.PolicyDecided(case.attempt.step_idx, response.value, case.cause,
                                   ep.failures.why))
    return response


def respond_to_plan(ep: Episode) -> Response:
    """What to do after a failed plan: REPLAN or HUMAN. Any other response ends the task."""
    ep.budgets.failed_in_row += 1
    case = ep.failures.case
    assert case is not None  # a plan fails with a recorded attempt
    response, ep.failures.response = ep.failures.response or respond(ep, case), None
    if response is Response.REPLAN and 0 < ep.ports.config.human_after <= ep.budgets.failed_in_row:
        response = Response.HUMAN
    if response not in (Response.REPLAN, Response.HUMAN):
        raise out_of_replans(ep, f'{ep.failures.sentence}; no new plan is made after this '
                             '(replanning, replan_on_* settings)')
    if response is Response.REPLAN and ep.budgets.left(REPLANS) > 0:
        reflect(ep, case, deep=True)
    return response


def reflect(ep: Episode, case: FailureCase, deep: bool) -> None:
    """Record why it failed and what may help; the next plan gets it too."""
    if ep.ports.reflector is None:
        return
    limited = ep.ctx.within(ep.ports.config.replan_timeout)
    reflection = ep.ports.reflector.reflect(case, ep.failures.remembered, deep, limited)
    if ep.failures.explain(reflection):
        ep.record(events.ReflectionMade(case.attempt.step_idx, reflection))


def out_of_replans(ep: Episode, detail: str) -> Ended:
    """The end after the last failure, if no plan may follow."""
    failure = ep.failures.current
    unmet = failure is not None and failure.stage is AttemptStage.GOAL
    return Ended(FinalReason.GOAL_NOT_MET if unmet else FinalReason.REPLAN_EXHAUSTED, detail,
                 failure=failure)
