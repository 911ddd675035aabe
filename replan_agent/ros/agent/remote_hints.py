# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person's hint over ROS: the question is an event, the answer is a service call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.srv import GiveHint

from replan_agent.domain.context import Context
from replan_agent.ros.messages.message_fields import id_from_msg

from .awaited_person import AwaitedPerson


class RosHints:
    """Serves `give_hint` for the running task."""

    def __init__(self, node: Node, awaited: AwaitedPerson) -> None:
        self._awaited = awaited
        self._lock = threading.Lock()
        self._running: RosHuman | None = None
        node.create_service(GiveHint, 'give_hint', self._on_hint,
                            callback_group=ReentrantCallbackGroup())

    @contextmanager
    def for_task(self, task_id: str, task: str) -> Iterator[RosHuman]:
        """The person to ask about a task, while it runs."""
        human = RosHuman(task_id, task, self._awaited)
        with self._lock:
            self._running = human
        try:
            yield human
        finally:
            with self._lock:
                self._running = None

    def _on_hint(self, request: GiveHint.Request, response: GiveHint.Response,
                 ) -> GiveHint.Response:
        with self._lock:
            human = self._running
            if human is None:
                response.error_code = response.NO_TASK
                response.error_msg = 'no task is running'
            elif id_from_msg(request.task_id) not in ('', human.task_id):
                response.error_code = response.WRONG_TASK
                response.error_msg = f'another task is running: {human.task_id}'
            elif not request.hint.strip():
                response.error_code = response.EMPTY
                response.error_msg = 'the hint is empty'
            else:
                human.add(request.hint.strip())
        return response


class RosHuman:
    """A person's hints about one task. A hint that comes before the question is kept.

    If nobody can hear the question, it does not wait for an answer.
    """

    def __init__(self, task_id: str, task: str, awaited: AwaitedPerson) -> None:
        self.task_id, self._task, self._awaited = task_id, task, awaited
        self._lock = threading.Lock()
        self._given: list[str] = []

    def add(self, hint: str) -> None:
        """Keep a hint until the agent asks."""
        with self._lock:
            self._given.append(hint)

    def hint(self, question: str, ctx: Context) -> str | None:
        limit_s = ctx.remaining_s()
        asked = self._awaited.hint(self.task_id, self._task, question, limit_s)
        with self._awaited.waiting(asked, limit_s):
            return self._awaited.answer(self._take, ctx, limit_s)

    def _take(self) -> str | None:
        with self._lock:
            given, self._given = self._given, []
            return ' '.join(given) or None
