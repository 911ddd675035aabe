# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""PLAN: from the planner's answer to a plan. Only validated plans go on."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, ReplyKind, Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.goal_check import goal_problems
from replan_agent.geometry.goal_words import sentence
from replan_agent.geometry.steps.proofs import AS_BEFORE_M, AS_BEFORE_RAD
from replan_agent.geometry.steps.same_places import same_places

from .checks import listed, problems_with
from .diagnosing import out_of_replans, refuse
from .episode import Edited, Ended, Episode
from .goal_rules import conflict
from .looking import update_scene
from .plan_request import PlannerAnswer, ask_planner, asked_for
from .recovery.human import answer_planner, is_answered
from .state.approvals import edited_steps
from .task_progress import State
from .verify import given_up, verify

ANOTHER_LOOK = 'the plan asked for another look'


def make_plan(ep: Episode, cause: PlanCause) -> Plan | None:
    """A plan that may run, or None if the planner's answer became a failed attempt."""
    answer = ask_planner(ep, cause)
    if answer is None:
        return None
    if answer.reply.kind is not ReplyKind.ASK and not _take_goals(ep, answer.reply):
        return None
    return _HANDLERS[answer.reply.kind](ep, answer)


def _take_goals(ep: Episode, reply: PlanReply) -> bool:
    """Take the reply's goals, if they make sense. False if they exclude each other."""
    same = reply.goals == asked_for(ep) != ep.goals.all  # as asked, without parts
    if not same and not _wrong_goals(ep, reply):
        excluded = conflict(reply.goals, ep.scene)
        if excluded and reply.goals_certain:
            raise Ended(FinalReason.CONFLICTING_GOALS, excluded)
        if excluded:
            refuse(ep, Reason.BAD_ARGUMENTS.value, excluded)
            return False
        if reply.goals or reply.kind is not ReplyKind.GIVE_UP:
            certain = reply.goals_certain and reply.kind.is_about_the_task
            ep.goals.take(reply.goals, certain, ep.scene, ep.failures.own)
    ep.goals.left_alone |= set(reply.left_alone)
    if reply.suggested_plan is not None and ep.ports.config.planning_enable:
        ep.goals.suggest(reply.suggested_plan, ep.scene)
    return True


def _wrong_goals(ep: Episode, reply: PlanReply) -> list[str]:
    """What is wrong with new goals; the checks of a plan find it too."""
    return list(goal_problems(reply.goals, ep.scene)) if reply.goals != ep.goals.all else []


def _take_steps(ep: Episode, answer: PlannerAnswer) -> Plan | None:
    """The steps as the next plan, if they pass the checks."""
    reply = answer.reply
    if not reply.steps and answer.cause is PlanCause.ADAPTIVE:
        raise Ended(FinalReason.NO_PLAN, 'Adaptive replan failed')
    if not reply.steps:
        refuse(ep, FinalReason.NO_PLAN.value, reply.detail or 'the planner returned no steps')
        return None
    try:
        steps = copy.deepcopy(reply.steps)  # the planner cannot change them later
    except (TypeError, ValueError, RecursionError):
        refuse(ep, Reason.BAD_ARGUMENTS.value, 'a step has arguments that are not plain values')
        return None
    plan = _next_plan(ep, steps, reply.goals, answer.cause, ep.ports.planner.name,
                      why_replan(ep, answer.cause), answer.context)
    ep.record(events.PlanMade(plan, answer.took_s, sentence(ep.goals.understood)))
    problems = problems_with(ep, plan)
    if problems:
        refuse(ep, problems[0].reason.value, listed(problems), problems[0].step_idx, plan,
               problems[0].cause)
    return None if problems else plan


def _ask_person(ep: Episode, answer: PlannerAnswer) -> Plan | None:
    """The plan after a person has answered the planner's question."""
    answer_planner(ep, answer.reply.detail)
    return make_plan(ep, PlanCause.HUMAN)


def _judge_done(ep: Episode, answer: PlannerAnswer) -> None:
    """The planner says that it is done. The scene shows whether it is."""
    wrong = _wrong_goals(ep, answer.reply)
    if wrong:
        refuse(ep, Reason.BAD_ARGUMENTS.value, '; '.join(wrong))
    else:
        verify(ep, finished=False)


def _give_up(ep: Episode, answer: PlannerAnswer) -> NoReturn:
    raise given_up(ep, answer.reply.detail)


def _refuse_reply(ep: Episode, answer: PlannerAnswer) -> Plan | None:
    """The planner failed. The task ends if another plan would say the same.

    What the words leave open, a person may say: then there is a plan after the answer.
    """
    reply = answer.reply
    if not ep.ports.planner.uses_model and not reply.goals and (
            reply.reason is Reason.AMBIGUOUS_OBJECT) and is_answered(ep, reply.detail):
        return make_plan(ep, PlanCause.HUMAN)
    reason = (reply.reason or Reason.PRECONDITION_FAILED).value
    lost = reply.reason is Reason.OBJECT_NOT_FOUND
    attempts = ep.failures.attempts
    said_before = any(a.stage is AttemptStage.PLAN and a.reason == reason
                      for a in (attempts if lost else attempts[-1:]))
    refuse(ep, reason, reply.detail, cause=reply.cause)
    if reply.cause is Cause.TWO_PLACES:
        raise Ended(FinalReason.CONFLICTING_GOALS, reply.detail, failure=ep.failures.current)
    if _stays_open(ep, reply, said_before):
        raise out_of_replans(ep, ep.failures.sentence)
    return None


def _end_exhausted(ep: Episode, answer: PlannerAnswer) -> NoReturn:
    """Nothing is left to try. The last attempt that shows it is what ended the task."""
    reply = answer.reply
    if reply.cause is not None:
        refuse(ep, (reply.reason or Reason.PRECONDITION_FAILED).value, reply.detail,
               cause=reply.cause, blockers=reply.blockers)
    proof = next((attempt for attempt in reversed(ep.failures.attempts)
                  if attempt.diagnosis is not None and attempt.diagnosis.proved), None)
    raise Ended(FinalReason.REPLAN_EXHAUSTED, reply.detail,
                failure=proof or (ep.failures.current if reply.cause else None))


def _end_unrecognized(ep: Episode, answer: PlannerAnswer) -> NoReturn:
    raise Ended(FinalReason.UNRECOGNIZED_PROMPT, answer.reply.detail)


def _end_unanswered(ep: Episode, answer: PlannerAnswer) -> NoReturn:
    raise Ended(FinalReason.VLM_TRANSPORT, answer.reply.detail, remedy=answer.reply.remedy)


_HANDLERS: Mapping[ReplyKind, Callable[[Episode, PlannerAnswer], Plan | None]] = {
    ReplyKind.STEPS: _take_steps,
    ReplyKind.ASK: _ask_person,
    ReplyKind.DONE: _judge_done,
    ReplyKind.GIVE_UP: _give_up,
    ReplyKind.FAILED: _refuse_reply,
    ReplyKind.EXHAUSTED: _end_exhausted,
    ReplyKind.UNRECOGNIZED: _end_unrecognized,
    ReplyKind.TRANSPORT: _end_unanswered,
}


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
    before = ep.scene
    ep.enter(State.PERCEIVING)
    try:
        update_scene(ep)
    except PerceptionError:
        return False
    return same_places(before, ep.scene, AS_BEFORE_M, AS_BEFORE_RAD)


def plan_as_wished(ep: Episode, edited: Edited) -> Plan | None:
    """The plan with the person's change, to be approved; None if the planner must make it.

    Ends the task if the planner has made the same plan again, although it knew the wish.
    """
    calls = edited.plan.calls
    steps = edited_steps(edited.plan.steps, edited.wish, ep.capped)
    if steps is not None:
        plan = _next_plan(ep, steps, edited.plan.goals, PlanCause.HUMAN, 'agent',
                          f'a person said: {edited.wish}')
        ep.record(events.PlanMade(plan, 0.0, sentence(ep.goals.understood)))
        problems = problems_with(ep, plan)
        if not problems:
            return plan
        refuse(ep, problems[0].reason.value, listed(problems))
    if calls in ep.approvals.asked_to_change:
        why = f'; {ep.failures.sentence}' if ep.failures.attempts else ''
        raise Ended(FinalReason.APPROVAL_DENIED, f'a person said {edited.wish!r}, and the planner '
                                                 f'made the same plan again{why}')
    ep.approvals.asked_to_change.add(calls)
    return None


def _next_plan(ep: Episode, steps: tuple[Step, ...], goals: tuple[Goal, ...], cause: PlanCause,
               planner: str, why: str, context: Mapping[str, Any] | None = None) -> Plan:
    """These steps as the next version of the plan."""
    version = ep.plans.version
    plan = Plan(version + 1, ep.task, ep.capped(steps), goals, cause, version or None,
                ep.scene.scene_id, planner, why, context or {})
    ep.plans.all.append(plan)
    return plan


def why_replan(ep: Episode, cause: PlanCause) -> str:
    """Why another plan is made, in one sentence."""
    if cause is PlanCause.ERROR:
        return ep.failures.sentence
    if cause is PlanCause.MONITOR and ep.plans.guidance:
        return f'plan monitor: {ep.plans.guidance[-1].text}'
    if cause is PlanCause.HUMAN and ep.approvals.hints:
        return f'a person said: {ep.approvals.hints[-1]}'
    return ANOTHER_LOOK if cause is PlanCause.ADAPTIVE else ''
