# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""ASK: after several failed plans, or for the planner, ask a person; the arm is safe then."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.failure import Attempt
from replan_agent.domain.task_result import FinalReason
from replan_agent.text.refusal import is_refusal

from ..episode import Edited, Ended, Episode
from ..looking import look
from ..state.budgets import REPLANS, TOTAL_REPLANS
from ..task_progress import State
from .own_steps import PUT_DOWN, put_down

NEARLY_S = 0.5  # who waits may stop this much before the time is over


def ask_human(ep: Episode) -> None:
    """Wait for a hint for the next plan. The task ends without one."""
    failures = ep.budgets.failed_in_row
    many = f'{failures} plans in a row failed' if failures > 1 else 'a plan failed'
    failure = ep.failures.current
    diagnosis = failure.diagnosis if failure else None
    helps = f'; what would help: {diagnosis.remedy}' if diagnosis and diagnosis.remedy else ''
    question = f'{many}; the last: {ep.failures.sentence}{helps}'
    _take_answer(ep, question, failure)
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


def is_answered(ep: Episode, question: str) -> bool:
    """Whether a person says what the words of the task leave open: a hint for the next plan."""
    if ep.ports.human is None or ep.budgets.left(TOTAL_REPLANS) <= 0:
        return False
    hint, _ = _asked(ep, question)
    if not hint or is_refusal(hint):
        return False
    ep.take_hint(hint)
    ep.budgets.spend(TOTAL_REPLANS)
    look(ep)
    return True


def _asked(ep: Episode, question: str) -> tuple[str | None, str]:
    """The person's answer, None without one; and a remark if the time for it is over."""
    ep.enter(State.HUMAN_REQUIRED)
    ep.record(events.HumanAsked(question, ep.scene.held or ''))
    human, limit = ep.ports.human, ep.ports.config.human_timeout
    within = ep.ctx.within(limit)
    try:
        hint = human.hint(question, within) if human is not None else None
        late = human is not None and not hint and within.remaining_s() < NEARLY_S
    except DeadlineExceeded:
        hint, late = None, True
    ep.ctx.check()
    return hint, f'; nobody answered within human_timeout={limit:g}s' if late else ''


def _take_answer(ep: Episode, question: str, failure: Attempt | None = None) -> None:
    """Ask a person, and keep the answer as a hint for the next plan. The task ends without one."""
    _secure(ep)
    held = ep.scene.held or ''
    hint, late = _asked(ep, question)
    if not hint or is_refusal(hint):
        said = f'; a person said: {hint}' if hint else late
        raise Ended(FinalReason.HUMAN_REQUIRED,
                    question + said + (f'; still holding {held}' if held else ''), failure=failure)
    ep.take_hint(hint)


def _secure(ep: Episode) -> None:
    """Put the held object down if the settings ask for it. If that fails, keep holding it."""
    scene, executed = ep.scene, len(ep.plans.executed)
    if ep.ports.config.human_held != PUT_DOWN or scene.held is None:
        return
    try:
        problem = put_down(ep, scene.held)
    except Ended as end:  # denied, or no step is left
        if end.reason is FinalReason.STOPPED:
            raise
        problem = end.detail
    except Edited as edited:
        problem = f'a person said: {edited.wish}'
    if problem:
        ep.warn(f'{scene.held} was not put down: {problem}')
    if len(ep.plans.executed) > executed and not ep.sight.just_looked:
        look(ep)
