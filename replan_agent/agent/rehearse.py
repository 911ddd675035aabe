"""REHEARSE: try a plan in a twin of the scene before the arm moves."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.proofs import OF_THE_OBJECT
from replan_agent.domain.skill import find_spec

from . import ports
from .broken_part import naming
from .episode import Episode
from .failures import record_attempt
from .states import State


def is_rehearsed(ep: Episode, plan: Plan, index: int = 0) -> bool:
    """Whether the plan passes its rehearsal. True if rehearsal is off.

    A plan that cannot be rehearsed is not a bad plan: it raises a warning and goes on. The
    agent's own steps belong to the planned step at `index`.
    """
    ep.rehearsed = None
    if ep.ports.rehearsal is None:
        return True
    ep.enter(State.REHEARSING)
    outcome = ep.rehearsed = _rehearse(ep.ports.rehearsal, plan, ep)
    if outcome is None:
        return True
    ep.add_time('rehearse', outcome.duration_s)
    ep.record(events.RehearsalFinished(plan.version, outcome.ok, outcome.failed_step,
                                       outcome.result, outcome.duration_s))
    step, result = outcome.failed_step, outcome.result
    if outcome.ok or step is None or result is None:
        return True
    result = replace(result, reason_detail=f'in rehearsal: {result.reason_detail}')
    if result.cause not in OF_THE_OBJECT:  # what the twin's objects weigh is a guess
        ep.guard.note(step, replace(ep.current_scene, held=_held_before(step, plan, ep)), result)
    planned = ep.planned.steps if ep.planned else ()
    record_attempt(ep, Attempt(
        planned.index(step) if step in planned else index, step.skill, dict(step.args),
        result.reason.value if result.reason else '', result.reason_detail,
        AttemptStage.PLAN, plan.version, result.ik,
        evidence={**result.evidence, 'rehearsed': True}, failed_stage=result.stage,
        cause=result.cause, blockers=result.blockers), step)
    return False


def _rehearse(rehearsal: ports.Rehearsal, plan: Plan, ep: Episode) -> ports.RehearsalResult | None:
    limit = ep.ports.config.replan_timeout
    try:
        with naming('the rehearsal'):
            return rehearsal.rehearse(plan, ep.current_scene, ep.ctx.within(limit))
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        problem = f'it took longer than replan_timeout={limit:g}s'
    except ports.RehearsalError as error:
        problem = str(error)
    ep.record(events.WarningRaised(f'plan {plan.version} was not rehearsed: {problem}'))
    return None


def _held_before(step: Step, plan: Plan, ep: Episode) -> str | None:
    """What the gripper holds when the plan comes to a step."""
    held, specs = ep.current_scene.held, ep.ports.skills.specs()
    for earlier in plan.steps[:plan.steps.index(step)] if step in plan.steps else ():
        spec = find_spec(specs, earlier.skill)
        if spec is not None and (spec.effect.takes or spec.effect.puts):
            held = spec.acts_on(earlier.args) if spec.effect.takes else None
    return held
