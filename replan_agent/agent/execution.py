"""EXECUTE: run the steps of a plan. The policy decides on retry, local planning or giving up."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.failure import Category
from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.recovery import FailureCase, Response
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason

from .approval import approve
from .episode import Ended, Episode
from .failures import MOVED, failed_step, respond
from .fixes import Fixing
from .local_actions import solve_locally
from .looking import look
from .monitoring import needs_new_plan
from .step import execute_once

OUTSIDE_CAUSES = (Category.RESOURCE, Category.TIMEOUT, Category.DEPENDENCY)


def execute(ep: Episode, plan: Plan) -> PlanCause | None:
    """None if every step is done, else why a new plan is needed."""
    for number, step in enumerate(plan.steps):
        if step.is_replan:
            return PlanCause.ADAPTIVE
        done = CompletedStep(step, ep.current_scene.held)
        if not _carry_out(ep, plan, step, plan.steps[number + 1:]):
            return PlanCause.ERROR
        ep.completed.append(done)
        _between_steps(ep)
        if step is not plan.steps[-1] and needs_new_plan(ep, plan):
            return PlanCause.MONITOR
    return None


def _carry_out(ep: Episode, plan: Plan, step: Step, later: tuple[Step, ...]) -> bool:
    """Whether the step succeeded in the end. `later` are the steps after it."""
    fixing = Fixing(ep, step, later)
    step = fixing.advised()
    retries = local = 0
    while True:
        proof = ep.guard.earlier_proof(step, ep.current_scene)
        if proof is None:
            _approve_again(ep, plan, step, later)
        result = proof or execute_once(ep, plan, step, retries)
        if result.success:
            fixing.report_outcome(True)
            return True
        case = failed_step(ep, plan, step, result, guarded=proof is not None)
        fixing.report_outcome(False if proof is None and _is_about_the_step(case) else None)
        if result.reason is Reason.STOPPED:
            raise Ended(FinalReason.STOPPED, ep.last_failure())
        response = respond(ep, case, retries, local)
        if response is Response.CONTINUE:
            return True
        if response is Response.LOCAL:
            local += 1
            solved = solve_locally(ep, step, case)
            step = fixing.continue_from(solved) if solved else step
            response = (Response.RETRY if solved
                        else respond(ep, case, retries, may_work_around=False))
        elif response in (Response.RETRY, Response.RECAPTURE):
            if _must_look(ep, case, response):
                look(ep)
            step = fixing.next_try(case)
        if response not in (Response.RETRY, Response.RECAPTURE):
            ep.response = response
            return False
        retries += 1


def _must_look(ep: Episode, case: FailureCase, response: Response) -> bool:
    """Whether the current scene is no ground for another try: old, or from before a motion."""
    if response is Response.RECAPTURE and not ep.looked_at_failure:
        return True
    unseen = case.after is None and case.attempt.failed_stage in MOVED
    return ep.current_scene.stale or (unseen and not ep.just_looked)


def _approve_again(ep: Episode, plan: Plan, step: Step, later: tuple[Step, ...]) -> None:
    """Ask about a retry and about a changed step: the plan's approval does not cover them.

    A denial ends the task.
    """
    if ep.is_approved(step):
        return
    rest, latest = (step, *later), ep.plans[-1]
    changed = latest.steps == rest  # a changed step is a version of its own
    reasons = [latest.reason] if changed else []
    since = ep.attempts[ep.approved_after:]
    if since:
        last = next((a for a in reversed(since) if a.touched), since[-1])
        after = 'a contact' if last.touched else last.reason
        reasons.append(f'after {after}: {last.reason_detail}')
    approve(ep, replace(latest if changed else plan, steps=rest, reason='; '.join(reasons)))


def _is_about_the_step(case: FailureCase) -> bool:
    """Whether the step's own arguments may be the cause, not the driver, a person or the view."""
    found = case.attempt.diagnosis
    return found is not None and found.category not in OUTSIDE_CAUSES


def _between_steps(ep: Episode) -> None:
    config = ep.ports.config
    if config.step_delay:
        ep.ports.clock.sleep(config.step_delay, ep.ctx)
    if config.recapture_after_step:
        look(ep)
        ep.scenes.append(ep.current_scene)
