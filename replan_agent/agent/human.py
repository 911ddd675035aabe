"""ASK: after several failed plans, or for the planner, ask a person; the arm is safe then."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import CompletedStep, PlanCause, Step
from replan_agent.domain.refusal import is_refusal
from replan_agent.domain.skill import Reason, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.task_result import FinalReason

from .budgets import REPLANS, TOTAL_REPLANS
from .episode import Edited, Ended, Episode
from .failures import failed_step
from .looking import look
from .own_plans import agreed, own_plan
from .states import State
from .step import execute_once

PUT_DOWN = 'put_down'
NEARLY_S = 0.5  # who waits may stop this much before the time is over


def ask_human(ep: Episode) -> None:
    """Wait for a hint for the next plan. The task ends without one."""
    failures = ep.budgets.failed_in_row
    many = f'{failures} plans in a row failed' if failures > 1 else 'a plan failed'
    diagnosis = ep.failure.diagnosis if ep.attempts else None
    helps = f'; what would help: {diagnosis.remedy}' if diagnosis and diagnosis.remedy else ''
    question = f'{many}; the last: {ep.last_failure()}{helps}'
    _take_answer(ep, question, ep.failure if ep.attempts else None)
    ep.budgets.renew(REPLANS, TOTAL_REPLANS)


def answer_planner(ep: Episode, question: str) -> None:
    """Ask a person what the planner asks, and look again. The task ends without an answer.

    The plan after the answer is one of `max_total_replans`, and no budget starts again: a planner
    that only asks comes to an end.
    """
    if ep.budgets.left(TOTAL_REPLANS) <= 0:
        raise Ended(FinalReason.HUMAN_REQUIRED,
                    f'{ep.budgets.limit(TOTAL_REPLANS)} reached; the planner asks: {question}')
    _take_answer(ep, question)
    ep.budgets.spend(TOTAL_REPLANS)
    look(ep)


def _take_answer(ep: Episode, question: str, failure: Attempt | None = None) -> None:
    """Ask a person, and keep the answer as a hint for the next plan. The task ends without one."""
    _secure(ep)
    ep.enter(State.HUMAN_REQUIRED)
    held = ep.current_scene.held or ''
    ep.record(events.HumanAsked(question, held))
    hint, late = _hint(ep, question)
    if not hint or is_refusal(hint):
        ep.ctx.check()
        said = f'; a person said: {hint}' if hint else late
        raise Ended(FinalReason.HUMAN_REQUIRED,
                    question + said + (f'; still holding {held}' if held else ''),
                    failure=failure)
    ep.take_hint(hint)


def _hint(ep: Episode, question: str) -> tuple[str | None, str]:
    """The person's answer, None without one; and a remark if the time for it is over."""
    if ep.ports.human is None:
        return None, ''
    limit = ep.ports.config.human_timeout
    within = ep.ctx.within(limit)
    try:
        hint = ep.ports.human.hint(question, within)
        late = not hint and within.remaining_s() < NEARLY_S
    except DeadlineExceeded:
        hint, late = None, True
    return hint, f'; nobody answered within human_timeout={limit:g}s' if late else ''


def _secure(ep: Episode) -> None:
    """Put the held object down if the settings ask for it. If that fails, keep holding it."""
    scene, executed = ep.current_scene, len(ep.steps)
    if ep.ports.config.human_held != 'put_down' or scene.held is None:
        return
    try:
        problem = _put_down(ep, scene.held)
    except Ended as end:  # denied, or no step is left
        if end.reason is FinalReason.STOPPED:
            raise
        problem = end.detail
    except Edited as edited:
        problem = f'a person said: {edited.wish}'
    if problem:
        ep.record(events.WarningRaised(f'{scene.held} was not put down: {problem}'))
    if len(ep.steps) > executed and not ep.just_looked:
        look(ep)


def _put_down(ep: Episode, held: str) -> str:
    """Put the held object on the table; why that failed, or '' on success."""
    scene, agent = ep.current_scene, ep.ports
    if scene.table is None:
        return 'no table is seen'
    skill = skill_that(agent.skills.specs(), EffectKind.PUT_ON, target=scene.table)
    if skill is None:
        return 'there is no skill that puts it on the table'
    step = Step(1, skill.name, skill.effect.arguments(target=scene.table.name),
                f'Put the {held} down on the {scene.table.name}')
    plan = own_plan(ep, (step,), PlanCause.HUMAN, 'agent', 'put down before asking a person')
    index = ep.failure.step_idx if ep.attempts else 0
    plan, problem = agreed(ep, plan, index)
    if problem:
        return problem
    (step,) = plan.steps
    result = execute_once(ep, plan, index, step, local_state=PUT_DOWN)
    agent.approver.report_outcome(result.success)
    if result.success:
        ep.completed.append(CompletedStep(step, held))
        return ''
    with ep.keeping_current_failure():
        case = failed_step(ep, plan, index, step, result, local_state=PUT_DOWN)
    if result.reason is Reason.STOPPED:
        raise Ended(FinalReason.STOPPED, result.reason_detail, failure=case.attempt)
    return result.reason_detail
