# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The questions of an agent over ROS: events or a latched topic; answers are service calls."""

from __future__ import annotations

import math
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from replan_agent.domain.port_errors import NodeLost
from replan_agent_page.serve.station import TaskRefused

from .page_questions import APPROVE, EDIT, HINT, NO, YES, Answer, Question

if TYPE_CHECKING:
    from replan_agent_page.serve.remote_agent import RemoteAgent

Key = tuple[str, str, Any]
ASKS = PENDING, ASKED = 'approval_pending', 'human_asked'
ENDS = ('approval_decided', 'human_answered', 'task_started', 'task_finished', 'replan_started',
        'step_started')  # events after which the agent no longer waits


class RosQuestions:
    """The question that the agent waits for. How long it waits is its own setting.

    `end_task` ends the task of that id, or raises TaskRefused if it is not ours.
    """

    def __init__(self, agent: RemoteAgent, end_task: Callable[[str, str], None]) -> None:
        self._agent, self._end_task = agent, end_task
        self._lock = threading.Lock()
        self._count = secrets.randbelow(2**40)  # an old page must not answer a new question
        self._asked: tuple[str, Question] | None = None  # the id of its task
        self._latched: Key | None = None  # the last one of the latched topic
        self._over: Key | None = None  # the last one that ended
        self._told_by_topic: Key | None = None  # and its event has not come yet

    @property
    def open(self) -> Question | None:
        asked = self._asked
        return asked[1] if asked else None

    def heard(self, task_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """An event of the agent: it may ask, or end a question. Never waits.

        The event of a question that the topic told before may come after the answer.
        """
        key = _key(task_id, APPROVE if kind == PENDING else HINT, data)
        if kind in ASKS and key == self._told_by_topic:
            self._told_by_topic, asked = None, self._asked
            if asked is None or _key_of(*asked) != key or asked[1].answer is not None:
                return
        self._happened(task_id, kind, data)

    def _happened(self, task_id: str, kind: str, data: Mapping[str, Any]) -> None:
        if kind == PENDING:
            self._ask(task_id, APPROVE, {
                'plan': data.get('plan') or {'version': data.get('plan_version'), 'steps': []},
                **{key: data.get(key) for key in ('request', 'risk', 'threshold')},
                'reasons': list(data.get('reasons') or ())})
        elif kind == ASKED:
            self._ask(task_id, HINT, {'question': str(data.get('question', ''))})
        elif kind in ENDS:
            with self._lock:
                if self._asked is not None:
                    self._over = _key_of(*self._asked)
                self._asked = None

    def waits(self, task_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """What the latched topic says: as the event of that kind, or '' if nothing waits.

        The two may come in any order: '' ends only the question that this topic had, and a
        question that is over is not asked again.
        """
        is_open = _key_of(*self._asked) if self._asked else None
        if not kind:
            if is_open is not None and is_open == self._latched:
                self._happened(task_id, ENDS[0], {})
            return
        self._latched = _key(task_id, APPROVE if kind == PENDING else HINT, data)
        if self._latched not in (is_open, self._over):
            self._told_by_topic = self._latched
            self._happened(task_id, kind, data)

    def give(self, number: int, answer: Answer) -> bool:
        """Pass the answer on. Raises TaskRefused if the agent does not take it."""
        with self._lock:
            asked = self._asked
            if asked is None or asked[1].number != number or asked[1].answer is not None:
                return False
            asked[1].answer = answer  # the first one counts
        try:
            problem = self._passed_on(*asked, answer)
            if problem:
                raise TaskRefused(problem)
        except (NodeLost, TaskRefused) as error:
            asked[1].answer = None  # somebody may try again
            raise TaskRefused(str(error)) from error
        return True

    def _passed_on(self, task_id: str, question: Question, answer: Answer) -> str:
        if question.kind == HINT:
            if answer.choice == NO:
                self._end_task(task_id, answer.who)
                return ''
            return self._agent.give_hint(task_id, answer.text)
        version = int(question.details['plan']['version'])
        said = {EDIT: f'{answer.who} wants plan {version} changed: {answer.text}',
                NO: f'plan {version} was denied by {answer.who}'}.get(answer.choice, '')
        return self._agent.decide(task_id, version, int(question.details['request'] or 0),
                                  answer.choice == YES, answer.who, said,
                                  answer.text if answer.choice == EDIT else '')

    def _ask(self, task_id: str, kind: str, details: Mapping[str, Any]) -> None:
        with self._lock:
            before = self._asked
            if (before is None or before[1].answer is not None
                    or _key_of(*before) != _key(task_id, kind, details)):
                self._count += 1  # else a page may show it already
            self._asked = task_id, Question(self._count, kind, details, math.inf, None)


def _key_of(task_id: str, question: Question) -> Key:
    return _key(task_id, question.kind, question.details)


def _key(task_id: str, kind: str, details: Mapping[str, Any]) -> Key:
    """The same for the same question."""
    name = 'request' if kind == APPROVE else 'question'
    return task_id, kind, details.get(name) or 0
