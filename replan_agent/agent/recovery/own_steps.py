# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps that the agent takes by itself: checked, rehearsed and approved like any plan."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.skill import Reason, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.task_result import FinalReason

from ..approval import approve
from ..checks import is_rehearsed, listed, problems_with
from ..diagnosing import failed_step
from ..episode import Edited, Ended, Episode
from ..looking import look
from ..state.approvals import edited_steps
from ..step import execute_once

PUT_DOWN = 'put_down'


def own_plan(ep: Episode, steps: tuple[Step, ...], cause: PlanCause, planner: str,
             reason: str) -> Plan:
    """The steps as a plan to check and approve. It belongs to the version that is running."""
    return Plan(ep.plans.version, ep.task, ep.capped(steps), ep.goals.all, cause,
                ep.plans.latest.parent if ep.plans.latest else None, ep.scene.scene_id, planner,
                reason)


def flaw(ep: Episode, plan: Plan, index: int, later: tuple[Step, ...] = ()) -> str:
    """What the check or the rehearsal finds wrong with the plan; empty if nothing.

    `index` is that of the step of the running plan to which these steps belong. The `later` steps,
    which should follow, are rehearsed with them.
    """
    problems = problems_with(ep, plan)
    if problems:
        return listed(problems)
    whole = replace(plan, steps=(*plan.steps, *ep.capped(later)))
    return '' if is_rehearsed(ep, whole, index) else ep.failures.attempts[-1].reason_detail


def agreed(ep: Episode, plan: Plan, index: int, later: tuple[Step, ...] = ()) -> tuple[Plan, str]:
    """The plan as it is approved, perhaps slower, and why it may not run; empty if it may.

    Raises Ended if it is denied, Edited if a person wants something else than these steps.
    """
    while True:
        found = flaw(ep, plan, index, later)
        if found:
            return plan, found
        ep.plans.adapt(plan, index, plan.steps)
        try:
            approve(ep, plan)
            return plan, ''
        except Edited as edited:
            steps = edited_steps(plan.steps, edited.wish, ep.capped)
            if steps is None or len(steps) < len(plan.steps):
                raise
            plan = replace(plan, steps=steps)


def look_around(ep: Episode) -> None:
    """Look from several sides, if there is a camera in the hand and the arm may move.

    Otherwise a warning says why. Nothing moves after a plan was denied.
    """
    if ep.ports.looks_around:
        _look_after(ep, EffectKind.OBSERVE, 'see the table from several sides')


def look_past_arm(ep: Episode) -> None:
    """Look from another pose than the last step's: from several sides, or with the arm at home."""
    look_around(ep)
    if not ep.ports.looks_around and ep.scene.arm is not None and not ep.scene.arm.at_home:
        _look_after(ep, EffectKind.GO_HOME, 'see what the arm may hide')


def _look_after(ep: Episode, kind: EffectKind, why: str) -> None:
    """Look after a motion of this kind, if a skill does it and it is approved."""
    spec = skill_that(ep.specs, kind)
    if spec is None:
        return
    plan = own_plan(ep, (Step(1, spec.name, {}, spec.description),), PlanCause.LOCAL, 'agent', why)
    plan, problem = _agreed_to_look(ep, plan)
    moved = not problem
    problem = problem or _take(ep, plan, 0)
    if problem:
        ep.warn(f'the arm did not move to look: {problem}')
    if moved:
        look(ep)


def _agreed_to_look(ep: Episode, plan: Plan) -> tuple[Plan, str]:
    """The plan as it is approved, and why the arm stays where it is; empty if it may move."""
    if ep.scene.held is not None:
        return plan, f'the hand holds {ep.scene.held}'
    if ep.approvals.denied:
        return plan, 'a plan was not approved'
    try:
        return agreed(ep, plan, 0)
    except Edited as edited:
        return plan, f'a person said: {edited.wish}'
    except Ended as end:
        if end.reason is not FinalReason.APPROVAL_DENIED:
            raise
        return plan, end.detail


def put_down(ep: Episode, held: str) -> str:
    """Put the held object on the table; why that failed, or '' on success."""
    table = ep.scene.table
    if table is None:
        return 'no table is seen'
    skill = skill_that(ep.specs, EffectKind.PUT_ON, target=table)
    if skill is None:
        return 'there is no skill that puts it on the table'
    step = Step(1, skill.name, skill.effect.arguments(target=table.name),
                f'Put the {held} down on the {table.name}')
    plan = own_plan(ep, (step,), PlanCause.HUMAN, 'agent', 'put down before asking a person')
    index = ep.failures.current.step_idx if ep.failures.current else 0
    plan, problem = agreed(ep, plan, index)
    if not problem:
        problem = _take(ep, plan, index, PUT_DOWN)
        ep.ports.approver.report_outcome(not problem)
        ep.plans.completed += [] if problem else [CompletedStep(plan.steps[0], held)]
    return problem


def _take(ep: Episode, plan: Plan, index: int, local_state: str = '') -> str:
    """Execute the one step of a plan; why it failed, or ''. The current failure stays."""
    (step,) = plan.steps
    result = execute_once(ep, plan, index, step, local_state=local_state)
    if result.success:
        return ''
    with ep.failures.keeping_current():
        case = failed_step(ep, plan, index, step, result, local_state=local_state)
    if result.reason is Reason.STOPPED:
        raise Ended(FinalReason.STOPPED, result.reason_detail, failure=case.attempt)
    return result.reason_detail
