"""EXECUTE: the steps of a plan, each retried, worked around or given up as the policy says."""

from __future__ import annotations

from collections.abc import Callable

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.outcome import FinalReason, StepRecord
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.recovery import Response
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed

from .diagnosis import NO_MORE_LOCAL, failed_step, respond
from .episode import Ended, Episode
from .fixes import Fixing
from .local import solve_locally
from .look import look
from .monitoring import needs_new_plan
from .states import State


def execute(ep: Episode, plan: Plan) -> PlanCause | None:
    """None when every step is done, else why a new plan is needed."""
    for step in plan.steps:
        if step.is_replan:
            return PlanCause.ADAPTIVE
        if not _carry_out(ep, plan, step):
            return PlanCause.ERROR
        ep.completed.append(step.description or step.call)
        _between_steps(ep)
        if step is not plan.steps[-1] and needs_new_plan(ep, plan):
            return PlanCause.MONITOR
    return None


def _carry_out(ep: Episode, plan: Plan, step: Step) -> bool:
    """Whether the step was done in the end."""
    fixing = Fixing(ep, step)
    step = fixing.advised()
    retries = local = 0
    while True:
        proof = ep.guard.earlier_proof(step, ep.current_scene)
        result = proof or execute_once(ep, plan, step, retries)
        fixing.tell(result.success)
        if result.success:
            return True
        case = failed_step(ep, plan, step, result, guarded=proof is not None)
        if result.reason is Reason.STOPPED:
            raise Ended(FinalReason.STOPPED, ep.last_failure())
        response = respond(ep, case, retries, local)
        if response is Response.CONTINUE:
            return True
        if response is Response.LOCAL:
            local += 1
            solved = solve_locally(ep, plan, step, case, execute_once)
            step = solved or step
            response = Response.RETRY if solved else respond(ep, case, retries, NO_MORE_LOCAL)
        elif response in (Response.RETRY, Response.RECAPTURE):
            step = fixing.next_try(case)
        if response not in (Response.RETRY, Response.RECAPTURE):
            ep.response = response
            return False
        retries += 1
        if response is Response.RECAPTURE and not ep.looked_at_failure:
            look(ep)


def execute_once(ep: Episode, plan: Plan, step: Step, retry: int,
                 local_state: str = '') -> SkillResult:
    """Execute a step and keep a record of it."""
    config, clock = ep.agent.config, ep.agent.clock
    if len(ep.steps) >= config.max_steps:
        raise Ended(FinalReason.MAX_STEPS,
                    f'{len(ep.steps)} steps were executed (max_steps={config.max_steps})'
                    + (f'; {ep.last_failure()}' if ep.attempts else ''))
    ep.enter(State.EXECUTING)
    index, started = len(ep.steps), clock.now()
    ep.record(events.StepStarted(index, plan.version, step, retry, local_state))
    result = _call_skill(ep, step, index)
    elapsed = clock.now() - started
    ep.just_looked = False
    ep.add_time('execute', elapsed)
    ep.steps.append(StepRecord(index, plan.version, step, result, elapsed, retry, local_state))
    ep.record(events.StepFinished(index, plan.version, step, result, elapsed))
    return result


ExecuteOnce = Callable[[Episode, Plan, Step, int, str], SkillResult]


def _call_skill(ep: Episode, step: Step, index: int) -> SkillResult:
    def on_phase(phase: str) -> None:
        ep.record(events.PhaseStarted(index, step.skill, phase))

    skills, limit = ep.agent.skills, ep.agent.config.skill_timeout
    try:
        return skills.execute(step, ep.current_scene, ep.ctx.within(limit), on_phase)
    except DeadlineExceeded:
        ep.ctx.check()  # the task's own deadline ends the task instead
        skills.stop()
        late = f'{step.skill} took longer than skill_timeout={limit:g}s'
        return failed(Reason.TIMEOUT, late, FailedStage.EXECUTION)


def _between_steps(ep: Episode) -> None:
    config = ep.agent.config
    if config.step_delay:
        ep.agent.clock.sleep(config.step_delay, ep.ctx)
    if config.recapture_after_step:
        look(ep)
        ep.scenes.append(ep.current_scene)
