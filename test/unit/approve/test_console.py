# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The person at the console, on a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from replan_agent.approve.console_approver import ConsoleApprover, ConsoleHuman
from replan_agent.approve.terminal import Terminal
from replan_agent.domain.approval_request import ApprovalRequest, RiskAssessment
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.scene import Scene
from replan_agent.execute.skills.standard import standard_skills

PLAN = Plan(2, 'task', (Step(1, 'pick', {'object': 'glass'}),), (), PlanCause.ERROR, 1, 's', 'p',
            'pick failed: too far')
LONG_S, SHORT_S = 30.0, 0.05


class Desk:
    """A terminal and the person at it, who types after each question."""

    def __init__(self) -> None:
        self._person, machine = os.openpty()
        self._source = os.fdopen(machine)
        self.answers: list[str] = []
        self.shown = ''
        self.terminal = Terminal(self._source, self)  # type: ignore[arg-type]

    def write(self, text: str) -> None:
        self.shown += text
        if text.endswith(('] ', ': ', ') ')) and self.answers:
            self.type(self.answers.pop(0))

    def type(self, line: str) -> None:
        os.write(self._person, line.encode())

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        os.close(self._person)
        self._source.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.close()


def request(**more) -> ApprovalRequest:
    return ApprovalRequest(PLAN, Scene('s', 0.0, (), 'fake'), **more)


@pytest.mark.parametrize(('line', 'approved'), [('y\n', True), ('YES\n', True), ('n\n', False)])
def test_the_answer_decides(desk, line, approved):
    desk.answers = [line]
    answer = ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context())
    assert (answer.approved, answer.approver) == (approved, 'console')


@pytest.mark.parametrize('line', ['no stop', 'no thanks', 'n!', 'stop', 'nope', 'never', "don't"])
def test_any_way_to_refuse_is_a_no_at_once(desk, line):
    desk.answers = [f'{line}\n']
    answer = ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context())
    assert not answer.approved and not answer.edit and 'was denied' in answer.detail


def test_the_plan_its_reason_and_the_risk_are_shown_before_the_question(desk):
    desk.answers = ['n\n']
    assessment = RiskAssessment(0.5, 0.4, ('handles glass',))
    ConsoleApprover(LONG_S, desk.terminal).approve(request(assessment=assessment), Context())
    shown = desk.shown.split('Run plan 2?')[0]
    assert '1. pick(object=glass)' in shown and 'pick failed: too far' in shown
    assert 'Risk 0.50' in shown and '0.40' in shown and '- handles glass' in shown
    assert f'no answer within {LONG_S:g} s means no' in desk.shown


def test_every_value_of_the_plan_is_shown_in_full(desk):
    desk.answers = ['n\n']
    word = 'a long text that says much, ' * 9
    step = Step(1, 'bend', {'joints': [0.1234, 0.2, 0.3, 0.4, 0.5, 0.6, 0.777], 'word': word,
                            'by': {'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5}})
    ConsoleApprover(LONG_S, desk.terminal).approve(
        replace(request(), plan=replace(PLAN, steps=(step,))), Context())
    assert '[0.123, 0.2, 0.3, 0.4, 0.5, 0.6, 0.777]' in desk.shown
    assert word in desk.shown and "'e': 5" in desk.shown


def test_pending_is_reported_before_it_waits(desk):
    reported: list[tuple[RiskAssessment, str]] = []
    desk.answers = ['y\n']
    assessment = RiskAssessment(0.5, 0.4)
    ConsoleApprover(LONG_S, desk.terminal).approve(
        request(assessment=assessment, on_pending=lambda w: reported.append((w, desk.shown))),
        Context(),
    )
    assert reported == [(assessment, '')]


def test_an_unclear_answer_is_asked_again(desk):
    desk.answers = ['maybe\n', 'y\n']
    assert ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context()).approved
    assert 'Please answer y or n' in desk.shown


@pytest.mark.parametrize('line', ['slower', 'Without step 2'])
def test_an_answer_can_say_what_to_change(desk, line):
    desk.answers = [f'{line}\n']
    answer = ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context())
    assert not answer.approved and answer.edit == line and 'what to change' in desk.shown


def test_what_was_typed_before_the_question_is_no_answer(desk):
    desk.type('y\n')
    answer = ConsoleApprover(SHORT_S, desk.terminal).approve(request(), Context())
    assert not answer.approved


def test_time_running_out_denies(desk):
    answer = ConsoleApprover(SHORT_S, desk.terminal).approve(request(), Context())
    assert not answer.approved and 'within approval.timeout=0.05s' in answer.detail


def test_an_input_that_is_no_terminal_denies():
    terminal = Terminal(io.StringIO('y\n'), io.StringIO())
    answer = ConsoleApprover(LONG_S, terminal).approve(request(), Context())
    assert not answer.approved and 'not a terminal' in answer.detail


def test_the_end_of_the_input_denies(desk):
    desk.answers = ['\x04']  # Ctrl-D
    answer = ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context())
    assert not answer.approved and 'the input has ended' in answer.detail


def test_a_cancel_ends_the_wait(desk):
    token = CancelToken()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(Cancelled):
        ConsoleApprover(LONG_S, desk.terminal).approve(request(), Context(token))


def test_a_hint_is_what_the_person_types(desk):
    desk.answers = [' push it nearer first \n']
    hint = ConsoleHuman(desk.terminal).hint('5 plans in a row failed', Context().within(LONG_S))
    assert hint == 'push it nearer first' and '5 plans in a row failed' in desk.shown


@pytest.mark.parametrize('answers', [['\n'], []], ids=['empty line', 'no answer'])
def test_no_hint_is_none(desk, answers):
    desk.answers = answers
    limit = LONG_S if answers else SHORT_S
    assert ConsoleHuman(desk.terminal).hint('stuck', Context().within(limit)) is None


def test_it_says_that_one_approval_covers_several_strokes(desk: Desk) -> None:
    push = Step(1, 'push', {'object': 'glass', 'direction': 'left'})
    desk.answers = ['n\n']
    ConsoleApprover(LONG_S, desk.terminal).approve(
        replace(request(skills=standard_skills().specs()),
                plan=replace(PLAN, steps=(push, *PLAN.steps))), Context())
    assert 'step 1 push may take up to 3 strokes, all with this one approval' in desk.shown
    assert desk.shown.count('strokes') == 1


def test_a_no_that_says_what_is_meant_instead_keeps_the_words(desk):
    desk.answers = ['no, the blue one\n']
    answer = ConsoleApprover(LONG_S, desk.terminal, corrects=lambda said: 'blue' in said).approve(
        request(), Context())
    assert not answer.approved and answer.edit == 'no, the blue one'
