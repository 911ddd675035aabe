# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""EXECUTE: run the steps of a plan. The policy decides on retry, local planning or giving up."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.recovery import FailureCase, Response
from replan_agent.domain.skill import FailedStage, Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.falls import toppled
from replan_agent.text.shown_text import in_words

from .approval import approve
from .checks import needs_new_plan
from .diagnosing import MOVED, failed_step, respond
from .episode import Ended, Episode
from .looking import look
from .recovery.fixes import Fixing
from .recovery.local_actions import solve_locally
from .recovery.own_steps import look_around
from .skipping import Skipping
from .step import execute_once


def execute(ep: Episode, plan: Plan) -> PlanCause | None:
    """None if every step is done, else why a new plan is needed.

    A step whose result the scene shows meanwhile is skipped.
    """
    skipping = Skipping(ep, plan)
    for number, step in enumerate(plan.steps):
        if step.is_replan:
            return PlanCause.ADAPTIVE
        if skipping.skips(number):
            continue
        before, done = ep.scene, CompletedStep(step, ep.scene.held)
        if not _carry_out(ep, plan, number, skipping):
            return PlanCause.ERROR
        ep.plans.completed.append(done)  # also if it failed, and a look shows it done
        if number in skipping.skipped:
            continue
        _between_steps(ep)
        for name in toppled(before, ep.scene):
            ep.warn(f'{name} stood before {step.told}, and lies now')
        if step is not plan.steps[-1] and needs_new_plan(ep, plan):
            return PlanCause.MONITOR
    return None


def _carry_out(ep: Episode, plan: Plan, index: int, skipping: Skipping) -> bool:
    """Whether the plan's step at `index` succeeded in the end, or is not needed any more."""
    held = ep.scene.held
    fixing = Fixing(ep, plan, index)
    step = fixing.advised()
    retries = local = 0
    while True:
        spec = ep.spec_of(step)
        proof = ep.failures.earlier_proof(step, ep.scene, spec) or fixing.spent
        if proof is None:
            _approve_again(ep, plan, index, step)
        result = proof or execute_once(ep, plan, index, step, retries)
        if result.success:
            fixing.report_success()
            return True
        case = failed_step(ep, plan, index, step, result, guarded=proof is not None)
        if proof is None:
            fixing.report_failure(case)
        if result.reason is Reason.STOPPED:
            raise Ended(FinalReason.STOPPED, ep.failures.sentence, failure=case.attempt)
        if ep.looked_at_failure and skipping.skips(index, held):
            return True
        response = respond(ep, case, retries, local)
        if response is Response.CONTINUE:
            return True
        if response in (Response.RETRY, Response.RECAPTURE):
            if _must_look(ep, case, response):
                look(ep)
            if case.attempt.failed_stage in MOVED:
                look_around(ep)
            step = fixing.next_try(case)
            if fixing.spent:
                response = respond(ep, case, ep.ports.config.max_step_retries, local, spent=True)
        if response is Response.LOCAL:
            local += 1
            solved = solve_locally(ep, step, case)
            searcher = ep.ports.local_planner
            if (not solved and case.cause == Cause.BOXED_IN
                    and result.stage is FailedStage.PLANNING and searcher and searcher.saw_all):
                ep.failures.note_proof(step, case.before, replace(  # no grasp will be free
                    result, evidence={**result.evidence, 'proved_impossible': True}))
            step = fixing.continue_from(solved) if solved else step
            response = (Response.RETRY if solved
                        else respond(ep, case, retries, may_work_around=False))
        if response not in (Response.RETRY, Response.RECAPTURE):
            ep.failures.response = response
            return False
        retries += 1


def _must_look(ep: Episode, case: FailureCase, response: Response) -> bool:
    """Whether the current scene is no ground for another try: old, or from before a motion."""
    if response is Response.RECAPTURE and not ep.looked_at_failure:
        return True
    unseen = case.after is None and case.attempt.failed_stage in MOVED
    return ep.scene.stale or (unseen and not ep.sight.just_looked)


def _approve_again(ep: Episode, plan: Plan, index: int, step: Step) -> None:
    """Ask about a retry and about a changed step: the plan's approval does not cover them.

    A denial ends the task.
    """
    if ep.approvals.covers(step, len(ep.failures.attempts)):
        return
    changed = next((a for a in reversed(ep.plans.all[-1].adaptations) if a.steps == (step,)), None)
    reasons = [changed.reason] if changed else []
    since = ep.failures.attempts[ep.approvals.after_attempts:]
    if since:
        last = next((a for a in reversed(since) if a.touched), since[-1])
        after = 'a contact' if last.touched else in_words(last.reason)
        reasons.append(f'after {after}: {last.reason_detail}')
    ep.plans.rehearsed = None  # that was before the failure: its chance is not that of a retry
    approve(ep, replace(plan, steps=(step, *ep.capped(plan.steps[index + 1:])),
                        reason='; '.join(reasons), cause=changed.cause if changed else plan.cause,
                        planner='agent' if changed else plan.planner))


def _between_steps(ep: Episode) -> None:
    config = ep.ports.config
    if config.step_delay:
        ep.ports.clock.sleep(config.step_delay, ep.ctx)
    if config.recapture_after_step:
        look(ep)
        ep.sight.keep()
