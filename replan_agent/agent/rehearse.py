"""REHEARSE: what a twin of the scene says of a plan before the arm moves."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import Plan

from . import ports
from .episode import Episode


def rehearsed_failure(rehearsal: ports.Rehearsal, plan: Plan, ep: Episode,
                      recorder: ports.Recorder) -> Attempt | None:
    """The attempt that failed in the twin, or None when nothing speaks against the plan.

    A plan that cannot be rehearsed is not a bad plan: that is a warning, and the plan goes on.
    """
    outcome = _rehearse(rehearsal, plan, ep, recorder)
    if outcome is None:
        return None
    ep.add_time('rehearse', outcome.duration_s)
    recorder.record(events.RehearsalFinished(plan.version, outcome.ok, outcome.failed_step,
                                             outcome.result, outcome.duration_s))
    step, result = outcome.failed_step, outcome.result
    if outcome.ok or step is None or result is None:
        return None
    return Attempt(
        len(ep.steps) + plan.steps.index(step), step.skill, dict(step.args),
        result.reason.value if result.reason else '', f'in rehearsal: {result.reason_detail}',
        AttemptStage.PLAN, plan.version, result.ik,
        evidence={**result.evidence, 'rehearsed': True})


def _rehearse(rehearsal: ports.Rehearsal, plan: Plan, ep: Episode,
              recorder: ports.Recorder) -> ports.RehearsalResult | None:
    limit = ep.config.replan_timeout
    try:
        return rehearsal.rehearse(plan, ep.current_scene, ep.ctx.within(limit))
    except DeadlineExceeded:
        ep.ctx.check()  # the task's own deadline ends the task instead
        problem = f'it took longer than replan_timeout={limit:g}s'
    except ports.RehearsalError as error:
        problem = str(error)
    recorder.record(events.WarningRaised(f'plan {plan.version} was not rehearsed: {problem}'))
    return None
