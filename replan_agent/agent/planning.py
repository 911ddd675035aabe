"""PLAN: ask the planner. Only validated plans go on."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal_check import goal_problems
from replan_agent.domain.goal_conflicts import conflict
from replan_agent.domain.look_alikes import may_replace
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.proofs import MOVED_M, TURNED_RAD
from replan_agent.domain.same_places import same_places
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason

from .broken_part import naming
from .budgets import REPLANS
from .episode import Ended, Episode
from .failure_context import failure_context
from .failures import record_attempt
from .human import answer_planner
from .looking import update_scene
from .ports import PerceptionError
from .states import State
from .validity import listed, problems_with
from .verify import given_up, verify


def make_plan(ep: Episode, cause: PlanCause) -> Plan | None:
    """A plan that may run, or None if the planner's answer became a failed attempt."""
    reply = _planned(ep)
    if reply is not None and reply.kind is ReplyKind.ASK:
        cause = PlanCause.HUMAN
    while reply is not None and reply.kind is ReplyKind.ASK:
        answer_planner(ep, reply.detail)
        reply = _planned(ep)
    if reply is None:
        return None
    wrong = list(goal_problems(reply.goals, ep.current_scene)) if reply.goals != ep.goals else []
    excluded = '' if wrong else conflict(reply.goals, ep.current_scene)
    if excluded and reply.goals_certain:
        raise Ended(FinalReason.CONFLICTING_GOALS, excluded)
    if excluded:
        refuse(ep, Reason.BAD_ARGUMENTS.value, excluded)
        return None
    if not wrong:
        _take_goals(ep, reply)
    ep.left_alone |= set(reply.left_alone)
    ep.take_suggested_plan(reply.suggested_plan)
    if reply.kind is ReplyKind.DONE and wrong:
        refuse(ep, Reason.BAD_ARGUMENTS.value, '; '.join(wrong))
        return None
    if reply.kind is ReplyKind.DONE:
        verify(ep, finished=False)
        return None
    if reply.kind is ReplyKind.GIVE_UP:
        raise given_up(ep, reply.detail)
    if reply.kind is ReplyKind.FAILED:
        _planner_failed(ep, reply)
        return None
    if reply.kind is ReplyKind.EXHAUSTED and reply.cause is not None:
        refuse(ep, (reply.reason or Reason.PRECONDITION_FAILED).value, reply.detail,
               cause=reply.cause)
    if reply.kind is not ReplyKind.STEPS:
        proved = reply.kind is ReplyKind.EXHAUSTED and _last_proof(ep)
        raise Ended(_END_OF_REPLY[reply.kind], reply.detail, failure=proved or None)
    if not reply.steps:
        if cause is PlanCause.ADAPTIVE:
            raise Ended(FinalReason.NO_PLAN, 'Adaptive replan failed')
        refuse(ep, FinalReason.NO_PLAN.value, 'the planner returned no steps')
        return None
    steps = _own_copy(reply.steps)
    if steps is None:
        refuse(ep, Reason.BAD_ARGUMENTS.value, 'a step has arguments that are not plain '
               'values')
        return None
    plan = ep.next_plan(steps, reply.goals, cause)
    ep.record(events.PlanMade(plan, ep.last_plan_s))
    problems = problems_with(ep, plan)
    if problems:
        refuse(ep, problems[0].reason.value, listed(problems), problems[0].step_idx, plan,
               problems[0].cause)
    return None if problems else plan


def _planner_failed(ep: Episode, reply: PlanReply) -> None:
    """Refuse the reply. The task ends if another plan would say the same."""
    reason = (reply.reason or Reason.PRECONDITION_FAILED).value
    lost = reply.reason is Reason.OBJECT_NOT_FOUND
    said_before = any(a.stage is AttemptStage.PLAN and a.reason == reason
                      for a in (ep.attempts if lost else ep.attempts[-1:]))
    refuse(ep, reason, reply.detail, cause=reply.cause)
    if reply.cause is Cause.TWO_PLACES:
        raise Ended(FinalReason.CONFLICTING_GOALS, reply.detail, failure=ep.failure)
    if _stays_open(ep, reply, said_before):
        raise ep.out_of_replans(ep.last_failure())


def _last_proof(ep: Episode) -> Attempt | None:
    """The last attempt that shows that nothing in this scene can help."""
    return next((attempt for attempt in reversed(ep.attempts)
                 if attempt.diagnosis is not None and attempt.diagnosis.proved), None)


def _planned(ep: Episode) -> PlanReply | None:
    """The planner's answer, with its warnings recorded; None if it took too long."""
    ep.enter(State.PLANNING)
    reply = _ask_planner(ep)
    for warning in reply.warnings if reply is not None else ():
        ep.record(events.WarningRaised(warning))
    return reply


def _stays_open(ep: Episode, reply: PlanReply, said_before: bool) -> bool:
    """Whether another plan would say the same: the task's words are the problem.

    A planner without a model answers a question with the same question. Something that is not
    found may be seen at another look, and a way may be free then: it is asked once more, unless
    that look shows the same.
    """
    if ep.ports.planner.uses_model or reply.reason is Reason.TIMEOUT:
        return False
    words = not reply.goals and reply.reason in (Reason.AMBIGUOUS_OBJECT, Reason.BAD_ARGUMENTS)
    return words or said_before or _looks_the_same(ep)


def _looks_the_same(ep: Episode) -> bool:
    """Whether another look shows nothing new. Another view, or a model, may see more."""
    if ep.ports.looks_around or ep.ports.perception.uses_model:
        return False
    before = ep.current_scene
    ep.enter(State.PERCEIVING)
    try:
        update_scene(ep)
    except PerceptionError:
        return False
    return same_places(before, ep.current_scene, MOVED_M, TURNED_RAD)


def _own_copy(steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """The steps with arguments that the planner cannot change later; None if that fails."""
    try:
        return copy.deepcopy(steps)
    except (TypeError, ValueError, RecursionError):
        return None


def _take_goals(ep: Episode, reply: PlanReply) -> None:
    """Keep the first goals. Uncertain ones may be extended, or corrected by the task's words."""
    if reply.kind is ReplyKind.GIVE_UP and not reply.goals:
        return
    named, certain = reply.goals, reply.goals_certain and reply.kind in ABOUT_THE_TASK
    if not ep.goals:
        ep.set_goals(named, certain or ep.goals_certain)
        return
    by_words = certain and not ep.goals_certain
    adds = not ep.goals_certain and set(named) > set(ep.goals)
    if set(named) == set(ep.goals) or not (named or by_words):
        ep.set_goals(ep.goals, certain or ep.goals_certain)
        return
    old, new = (', '.join(map(str, goals)) for goals in (ep.goals, named))
    if by_words or adds:
        ep.set_goals(named, by_words)
        why = 'by the words of the task' if by_words else 'the planner adds to it'
    elif may_replace(ep.goals, named, ep.current_scene, ep.own_attempts):
        ep.set_goals(named, ep.goals_certain)
        why = 'it was proved impossible, and the two look alike'
    else:
        ep.record(events.WarningRaised(f'the goal stays {old}: a later plan named {new}'))
        return
    ep.record(events.WarningRaised(f'the goal was {old} and is now {new or "none"}: {why}'))


def refuse(ep: Episode, reason: str, detail: str, index: int | None = None,
           plan: Plan | None = None, cause: Cause | None = None) -> None:
    """Record a refused or missing plan as a failed attempt; `index` is the step to blame."""
    step = plan.steps[index] if plan is not None and index is not None else None
    skill = step.skill if step is not None and isinstance(step.skill, str) else ''
    args = dict(step.args) if step is not None and isinstance(step.args, Mapping) else {}
    record_attempt(ep, Attempt(index or 0, skill, args, reason, detail, AttemptStage.PLAN,
                               ep.plan_version, cause=cause))


def _ask_planner(ep: Episode) -> PlanReply | None:
    agent = ep.ports
    _keep_interval(ep)
    ep.record(events.PlanRequested(ep.task, ep.total_replans, len(ep.attempts)))
    ep.context = failure_context(ep)
    request = PlanRequest(ep.task, ep.current_scene, agent.skills.specs(), tuple(ep.attempts),
                          tuple(ep.completed), ep.replans, ep.goals, ep.planned, ep.context,
                          ep.suggested_plan, ep.goals_certain, ep.guard.proofs)
    started = agent.clock.now()
    limit = agent.config.replan_timeout
    try:
        with naming(f'planner {agent.planner.name!r}'):
            return agent.planner.plan(request, ep.ctx.within(limit))
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        refuse(ep, Reason.TIMEOUT.value, f'no plan within replan_timeout={limit:g}s')
        return None
    finally:
        ep.last_plan_at = agent.clock.now()
        ep.last_plan_s = ep.last_plan_at - started
        ep.add_time('plan', ep.last_plan_s)


def _keep_interval(ep: Episode) -> None:
    """Wait between two plans; the wait grows with each failed plan."""
    if ep.last_plan_at is None:
        return
    config, clock = ep.ports.config, ep.ports.clock
    in_row = ep.budgets.since(REPLANS)
    pause = config.replan_min_interval * config.replan_backoff ** max(0, in_row - 1)
    wait = ep.last_plan_at + min(pause, max(config.replan_backoff_max,
                                            config.replan_min_interval)) - clock.now()
    if wait > 0:
        clock.sleep(wait, ep.ctx)


ABOUT_THE_TASK = (ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.GIVE_UP)
_END_OF_REPLY = {
    ReplyKind.UNRECOGNIZED: FinalReason.UNRECOGNIZED_PROMPT,
    ReplyKind.TRANSPORT: FinalReason.VLM_TRANSPORT,
    ReplyKind.EXHAUSTED: FinalReason.REPLAN_EXHAUSTED,
}
