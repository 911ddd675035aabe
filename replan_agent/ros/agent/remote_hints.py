"""A person's hint over ROS: the question is an event, the answer is a service call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.srv import GiveHint

from replan_agent.domain.context import Context
from replan_agent.ros.rclpy_tools.waiting import POLL_S

from .awaited_person import QUESTION, AwaitedPerson

UNHEARD_S = 1.0  # discovery can flicker; who is away longer is gone
LISTENED = (QUESTION, 'events', 'execute_task/_action/feedback')  # where a question can be heard


class RosHints:
    """Serves `give_hint` for the running task."""

    def __init__(self, node: Node, awaited: AwaitedPerson) -> None:
        self._node, self._awaited = node, awaited
        self._lock = threading.Lock()
        self._running: RosHuman | None = None
        node.create_service(GiveHint, 'give_hint', self._on_hint,
                            callback_group=ReentrantCallbackGroup())

    @contextmanager
    def for_task(self, task_id: str, task: str) -> Iterator[RosHuman]:
        """The person to ask about a task, while it runs."""
        human = RosHuman(task_id, task, self._awaited, self._is_heard)
        with self._lock:
            self._running = human
        try:
            yield human
        finally:
            with self._lock:
                self._running = None

    def _is_heard(self) -> bool:
        """Whether anybody can hear a question."""
        return any(self._node.count_subscribers(topic) for topic in LISTENED)

    def _on_hint(self, request: GiveHint.Request, response: GiveHint.Response,
                 ) -> GiveHint.Response:
        with self._lock:
            human = self._running
            if human is None:
                response.error_code = response.NO_TASK
                response.error_msg = 'no task is running'
            elif request.task_id not in ('', human.task_id):
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

    If `is_heard` says that nobody hears the question, it does not wait for an answer.
    """

    def __init__(self, task_id: str, task: str, awaited: AwaitedPerson,
                 is_heard: Callable[[], bool]) -> None:
        self.task_id, self._task = task_id, task
        self._awaited, self._is_heard = awaited, is_heard
        self._lock = threading.Lock()
        self._given: list[str] = []

    def add(self, hint: str) -> None:
        """Keep a hint until the agent asks."""
        with self._lock:
            self._given.append(hint)

    def hint(self, question: str, ctx: Context) -> str | None:
        if not self._is_heard():
            return self._take() or None
        heard = time.monotonic()
        limit_s = ctx.remaining_s()
        asked = self._awaited.hint(self.task_id, self._task, question, limit_s)
        with self._awaited.waiting(asked, limit_s):
            while not (given := self._take()):
                ctx.check()
                if self._is_heard():
                    heard = time.monotonic()
                elif time.monotonic() - heard > UNHEARD_S:
                    return None
                ctx.cancel.wait(POLL_S)
        return given

    def _take(self) -> str:
        with self._lock:
            given, self._given = self._given, []
            return ' '.join(given)
