# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions to a person at the page: about a plan, or what to do. No answer means no."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.plan import Plan
from replan_agent.record.plan_diff import difference

from .story import with_calls

POLL_S = 0.1  # how soon a cancel is noticed
APPROVE, HINT = 'approve', 'hint'
YES, NO, EDIT = 'yes', 'no', 'edit'


@dataclass(frozen=True)
class Answer:
    """What a person said, and who it was."""

    choice: str  # YES, NO or EDIT; for a hint YES with a text
    text: str
    who: str


@dataclass
class Question:
    """A question that is open. `number` is not used again, also not after a restart."""

    number: int
    kind: str
    details: Mapping[str, Any]
    until: float  # on the monotonic clock
    ends_at: float | None  # the same, as the browser's clock counts, s; None: not known
    answer: Answer | None = None
    answered: threading.Event = field(default_factory=threading.Event)

    def as_dict(self) -> dict[str, Any]:
        return {'number': self.number, 'kind': self.kind, 'ends_at': self.ends_at,
                **with_calls(self.details)}


class Questions:
    """At most one question is open. `on_change` is called when that changes."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._count = secrets.randbelow(2**40)  # an old page must not answer a new question
        self.open: Question | None = None

    def ask(self, kind: str, details: Mapping[str, Any], timeout_s: float, ctx: Context,
            on_open: Callable[[], None] = lambda: None) -> Answer | None:
        """The first answer; None if there is none in time. Raises what `ctx` raises."""
        with self._lock:
            self._count += 1
            question = Question(self._count, kind, details, time.monotonic() + timeout_s,
                                round(time.time() + timeout_s))
            self.open = question
        try:
            on_open()
            self._on_change()
            while not question.answered.wait(POLL_S) and time.monotonic() < question.until:
                ctx.check()
        finally:
            with self._lock:
                self.open = None
            self._on_change()
        return question.answer

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether a question is open. If so, who asked goes on only after the block."""
        with self._lock:
            yield self.open is not None and self.open.answer is None

    def give(self, number: int, answer: Answer) -> bool:
        """Whether the answer counts: the question is still open and nobody was faster."""
        with self._lock:
            question = self.open
            if question is None or question.number != number or question.answer is not None:
                return False
            question.answer = answer
            question.answered.set()
            return True


class PageApprover:
    """Asks at the page. No answer in time means denied."""

    name = 'console'  # as in the settings: a person is asked every time

    def __init__(self, questions: Questions, timeout_s: float) -> None:
        self._questions, self._timeout_s = questions, timeout_s
        self.asked: ApprovalRequest | None = None  # what it waits for
        self._before: Plan | None = None  # that was asked about

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        version, risk, before = request.plan.version, request.assessment, self._before
        details = {'plan': request.plan.as_dict(), 'request': request.number, 'risk': risk.risk,
                   'threshold': risk.threshold, 'reasons': [*risk.reasons, *request.remarks],
                   'changed': difference(before, request.plan, ()).lines()
                   if before and before.task == request.plan.task
                   and before.version < version else []}
        self.asked, self._before = request, request.plan
        try:
            answer = self._questions.ask(APPROVE, details, self._timeout_s, ctx,
                                         lambda: request.on_pending(risk))
        finally:
            self.asked = None
        if answer is None:
            return Approval(False, 'page', f'nobody approved plan {version} within '
                                           f'approval.timeout={self._timeout_s:g}s')
        if answer.choice == YES:
            return Approval(True, answer.who)
        if answer.choice == EDIT:
            return Approval(False, answer.who, f'{answer.who} wants plan {version} changed: '
                                               f'{answer.text}', edit=answer.text)
        return Approval(False, answer.who, f'plan {version} was denied by {answer.who}')

    def report_outcome(self, success: bool) -> None:
        """Ignored: the person sees the outcome."""


class PageHuman:
    """Asks at the page for a hint for the next plan."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    def hint(self, question: str, ctx: Context) -> str | None:
        try:
            answer = self._questions.ask(HINT, {'question': question}, ctx.remaining_s(), ctx)
        except DeadlineExceeded:
            return None
        return answer.text or None if answer is not None and answer.choice == YES else None
