"""PERCEIVE with a camera in the hand: the arm moves to see more, approved like any motion."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.plan import PlanCause, Step
from replan_agent.domain.skill import Reason, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.task_result import FinalReason

from .episode import Edited, Ended, Episode
from .failures import failed_step
from .looking import look
from .own_plans import agreed, own_plan
from .step import execute_once


def look_around(ep: Episode) -> None:
    """Look from several sides, if there is a camera in the hand and the arm may move.

    Otherwise the scene stays what is seen from here, and a warning says why. Nothing moves after
    a plan was denied.
    """
    spec = skill_that(ep.ports.skills.specs(), EffectKind.OBSERVE)
    if not ep.ports.looks_around or spec is None:
        return
    if ep.current_scene.held is not None or ep.denied:
        why = (f'the hand holds {ep.current_scene.held}' if ep.current_scene.held is not None
               else 'a plan was not approved')
        _warn(ep, why)
        return
    step = Step(1, spec.name, {}, spec.description)
    plan = own_plan(ep, (step,), PlanCause.LOCAL, 'agent', 'see the table from several sides')
    try:
        plan, problem = agreed(ep, plan, 0)
    except Edited as edited:
        problem = f'a person said: {edited.wish}'
    except Ended as end:
        if end.reason is not FinalReason.APPROVAL_DENIED:
            raise
        problem = end.detail
    if problem:
        _warn(ep, problem)
        return
    result = execute_once(ep, plan, 0, plan.steps[0])
    if not result.success:
        with ep.keeping_current_failure():
            case = failed_step(ep, plan, 0, plan.steps[0], result)
        if result.reason is Reason.STOPPED:
            raise Ended(FinalReason.STOPPED, result.reason_detail, failure=case.attempt)
        _warn(ep, result.reason_detail)
    look(ep)


def _warn(ep: Episode, why: str) -> None:
    ep.record(events.WarningRaised(f'the arm did not move to look: {why}'))
