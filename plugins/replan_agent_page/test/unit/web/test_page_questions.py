# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person's answer counts once, and no answer is a no."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from replan_agent_page.web.page_questions import (
    EDIT,
    NO,
    YES,
    Answer,
    PageApprover,
    PageHuman,
    Questions,
)

from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.scene import Scene

PLAN = Plan(1, 'go', (Step(1, 'home'),), (), PlanCause.INITIAL, None, 's', 'test')
REQUEST = ApprovalRequest(PLAN, Scene('s', 0.0, (), 'test'))
WAIT_S = 30.0


def number(questions: Questions) -> int:
    """The number of the open question."""
    assert questions.open is not None
    return questions.open.number


def answered(give: Callable[[Questions], None], timeout_s: float = WAIT_S,
             ctx: Context | None = None) -> Approval:
    """The approval if this happens when the question is open."""
    asked = threading.Event()
    questions = Questions(asked.set)

    def person() -> None:
        assert asked.wait(WAIT_S)
        give(questions)

    thread = threading.Thread(target=person)
    thread.start()
    try:
        return PageApprover(questions, timeout_s).approve(REQUEST, ctx or Context())
    finally:
        thread.join(WAIT_S)


def test_a_yes_approves_and_says_who() -> None:
    approval = answered(lambda q: q.give(number(q), Answer(YES, '', 'anna (page)')) and None)
    assert approval == Approval(True, 'anna (page)')


def test_a_no_denies_and_says_who() -> None:
    approval = answered(lambda q: q.give(number(q), Answer(NO, '', 'anna')) and None)
    assert not approval.approved and 'anna' in approval.detail


def test_a_restarted_server_uses_no_number_again() -> None:
    asked: list[int] = []
    for _ in range(2):
        answered(lambda q: asked.append(number(q)) or q.give(number(q), Answer(NO, '', 'anna')))
    assert asked[0] != asked[1]


def test_a_wish_is_not_a_yes() -> None:
    approval = answered(lambda q: q.give(number(q), Answer(EDIT, 'slower', 'anna')) and None)
    assert not approval.approved and approval.edit == 'slower'


def test_no_answer_in_time_is_a_denial() -> None:
    approval = answered(lambda q: None, timeout_s=0.01)
    assert not approval.approved and 'nobody approved' in approval.detail


def test_a_stop_ends_the_wait() -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        answered(lambda q: token.cancel(), ctx=Context(token))


def test_the_first_answer_counts_and_a_late_one_does_not() -> None:
    said: list[bool] = []

    def two(questions: Questions) -> None:
        said.append(questions.give(number(questions) + 1, Answer(YES, '', 'to another question')))
        said.append(questions.give(number(questions), Answer(NO, '', 'first')))
        said.append(questions.give(number(questions), Answer(YES, '', 'second')))

    assert answered(two).approver == 'first'
    assert said == [False, True, False]


def test_the_question_is_open_when_the_record_says_that_it_is_pending() -> None:
    questions = Questions(lambda: None)
    seen: list[bool] = []

    def pending(assessment: object) -> None:
        seen.append(questions.give(number(questions), Answer(YES, '', 'anna')))

    request = ApprovalRequest(PLAN, REQUEST.scene, on_pending=pending)
    assert PageApprover(questions, WAIT_S).approve(request, Context()).approved
    assert seen == [True] and questions.open is None


def test_the_question_says_how_likely_the_plan_works() -> None:
    questions, said = Questions(lambda: None), []

    def pending(assessment: object) -> None:
        assert questions.open is not None
        said.extend(questions.open.as_dict()['reasons'])
        questions.give(number(questions), Answer(YES, '', 'anna'))

    request = ApprovalRequest(PLAN, REQUEST.scene, on_pending=pending,
                              chance={'said': 'works in 90 of 100 tries', 'value': 0.9})
    PageApprover(questions, WAIT_S).approve(request, Context())
    assert said == ['works in 90 of 100 tries']


def test_no_hint_in_time_is_none() -> None:
    assert PageHuman(Questions(lambda: None)).hint('what now?', Context().within(0.01)) is None
