# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""PLAN: what the planner is asked, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import PlanCause, PlanReply, PlanRequest
from replan_agent.domain.recovery import Reflection
from replan_agent.domain.skill import Reason
from replan_agent.geometry.steps.done_steps import split_undone

from .broken_part import naming
from .diagnosing import refuse
from .episode import Episode
from .state.budgets import REPLANS, TOTAL_REPLANS
from .task_progress import State

MOST_SIMILAR = 3
WORLD_STARTED_AGAIN = 'the world has started again: none of these steps is done now'


@dataclass(frozen=True)
class PlannerAnswer:
    """What the planner said, why it was asked, what it got besides the attempts, and how long
    it took.
    """

    reply: PlanReply
    cause: PlanCause
    context: Mapping[str, Any]
    took_s: float


def ask_planner(ep: Episode, cause: PlanCause) -> PlannerAnswer | None:
    """The planner's answer, with its warnings recorded; None if it took too long."""
    ep.enter(State.PLANNING)
    _keep_interval(ep)
    ep.record(events.PlanRequested(ep.task, ep.budgets.spent[TOTAL_REPLANS],
                                   len(ep.failures.attempts)))
    context = failure_context(ep)
    started = ep.ports.clock.now()
    try:
        reply = _reply(ep, context)
    finally:
        ep.plans.made_at = ep.ports.clock.now()
        took_s = ep.plans.made_at - started
        ep.budgets.add_time('plan', took_s)
    for warning in reply.warnings if reply is not None else ():
        ep.warn(warning)
    return PlannerAnswer(reply, cause, context, took_s) if reply is not None else None


def asked_for(ep: Episode) -> tuple[Goal, ...]:
    """The goals: what has a new name is called so, what is a part of another thing falls out."""
    return tuple(goal.renamed(ep.sight.others(sure=True)) for goal in ep.goals.all)


def _reply(ep: Episode, context: Mapping[str, Any]) -> PlanReply | None:
    planner, limit = ep.ports.planner, ep.ports.config.replan_timeout
    request = PlanRequest(ep.task, ep.scene, ep.specs, tuple(ep.failures.attempts),
                          tuple(ep.plans.completed), ep.budgets.spent[REPLANS], asked_for(ep),
                          ep.plans.latest, context, ep.goals.suggested, ep.goals.certain,
                          tuple(ep.failures.proofs))
    try:
        with naming(f'planner {planner.name!r}'):
            return planner.plan(request, ep.ctx.within(limit))
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        refuse(ep, Reason.TIMEOUT.value, f'no plan within replan_timeout={limit:g}s')
        return None


def _keep_interval(ep: Episode) -> None:
    """Wait between two plans; the wait grows with each failed plan."""
    if ep.plans.made_at is None:
        return
    config, clock = ep.ports.config, ep.ports.clock
    in_row = ep.budgets.since(REPLANS)
    pause = config.replan_min_interval * config.replan_backoff ** max(0, in_row - 1)
    wait = ep.plans.made_at + min(pause, max(config.replan_backoff_max,
                                             config.replan_min_interval)) - clock.now()
    if wait > 0:
        clock.sleep(wait, ep.ctx)


def failure_context(ep: Episode) -> dict[str, Any]:
    """Empty if nothing failed, no run is continued, and there are no hints or guidance."""
    context: dict[str, Any] = {}
    failures, last = ep.failures, ep.failures.current
    if last is not None and failures.reflections:
        reflection = failures.reflections[-1]
        context = {
            'error_analysis': {
                'error_type': reflection.error_type, 'root_cause': reflection.root_cause,
                'contributing_factors': list(reflection.contributing_factors)},
            'fix_suggestion': _suggestion(reflection)}
    if last is not None and (failures.reflections or ep.ports.memory is not None):
        context |= {
            'similar_situations': [known.as_dict() for known in
                                   failures.remembered[:MOST_SIMILAR]],
            'execution_context': {
                'completed': [done.text for done in split_undone(
                    ep.plans.completed, ep.scene, ep.specs)[0]],
                'held': ep.scene.held,
                'plan_version': ep.plans.version, 'replans': ep.budgets.spent[REPLANS]},
            'failed_at_step': last.step_idx,
        }
        if last.diagnosis is not None and last.diagnosis.remedy:
            context['what_would_help'] = last.diagnosis.remedy
    if failures.local and not failures.local[-1].solved and last is not None:
        context['local_planning'] = {
            'tried': [f'{node.option.name}: {node.decision.value}, {node.detail}'
                      for node in failures.local[-1].nodes],
            'not_as_imagined': [f'{node.option.name}: {node.surprise}' for record in failures.local
                                for node in record.nodes if node.surprise],
            'ended': failures.local[-1].detail}
    if ep.plans.undone:
        context['earlier_run'] = {'completed': [done.text for done in ep.plans.undone],
                                  'note': WORLD_STARTED_AGAIN}
    if ep.approvals.hints:
        context['hints'] = list(ep.approvals.hints)
    if ep.plans.open_guidance:
        context['optimization_guidance'] = ep.plans.open_guidance
    return context


def _suggestion(reflection: Reflection) -> dict[str, Any]:
    fix = reflection.fix
    if fix is None:
        return {'status': 'none', 'message': '', 'suggested_changes': []}
    changes = [{'argument': name, 'value': value} for name, value in fix.changes.items()]
    if fix.option:
        changes.append({'option': fix.option})
    return {'status': 'success', 'message': fix.message, 'suggested_changes': changes}
