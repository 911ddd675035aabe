"""A person's hint over ROS: the question is an event, the answer a service call."""

from __future__ import annotations

import threading

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.srv import GiveHint

from replan_agent.domain.context import Context
from replan_agent.ros.rclpy_tools.waiting import POLL_S


class RosHuman:
    """Waits for `give_hint`. A hint that comes before the question is kept for it."""

    def __init__(self, node: Node) -> None:
        self._lock = threading.Lock()
        self._task_id = ''  # of the task under way
        self._given: list[str] = []
        node.create_service(GiveHint, 'give_hint', self._on_hint,
                            callback_group=ReentrantCallbackGroup())

    def begin(self, task_id: str) -> None:
        """A task begins, or none is under way any more ('')."""
        with self._lock:
            self._task_id, self._given = task_id, []

    def hint(self, question: str, ctx: Context) -> str | None:
        while True:
            with self._lock:
                if self._given:
                    given, self._given = self._given, []
                    return ' '.join(given)
            ctx.check()
            ctx.cancel.wait(POLL_S)

    def _on_hint(self, request: GiveHint.Request, response: GiveHint.Response,
                 ) -> GiveHint.Response:
        with self._lock:
            if not self._task_id:
                response.error_code = response.NO_TASK
                response.error_msg = 'no task is under way'
            elif request.task_id not in ('', self._task_id):
                response.error_code = response.WRONG_TASK
                response.error_msg = f'another task is under way: {self._task_id}'
            elif not request.hint.strip():
                response.error_code = response.EMPTY
                response.error_msg = 'the hint is empty'
            else:
                self._given.append(request.hint.strip())
        return response
