"""One service of another node, called from a thread of ours that never spins."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.agent.ports import NodeLost
from replan_agent.domain.context import Context

from .timeouts import Timeouts
from .waiting import first_finished, holds_in_time

SENDS = 2  # a server that was just discovered may miss a request, or we its answer


class ServicePort:
    """Asks, and asks once more when nothing comes; for requests that may be repeated.

    Whichever answer comes first counts: a slow one is not thrown away for the repetition.
    """

    def __init__(self, node: Node, service_type: Any, name: str, who: str,
                 timeouts: Timeouts) -> None:
        self._client = node.create_client(service_type, name,
                                          callback_group=ReentrantCallbackGroup())
        self._name = name
        self._who = who
        self._timeouts = timeouts

    def call(self, request: Any, ctx: Context, timeout_s: float | None = None) -> Any:
        """The response. Raises NodeLost when there is none within `timeout_s`."""
        limit = self._timeouts.answer_timeout if timeout_s is None else timeout_s
        appear = self._timeouts.appear_timeout
        if not holds_in_time(self._client.service_is_ready, appear, ctx):
            raise NodeLost(f'{self._who} is not there; waited {appear:g} s ({self._name})')
        sent: list[Any] = []
        try:
            for _ in range(SENDS):
                sent.append(self._client.call_async(request))
                answer = first_finished(sent, limit / SENDS, ctx)
                if answer is not None:
                    return answer.result()
        finally:
            for future in sent:
                self._client.remove_pending_request(future)
        raise NodeLost(f'{self._who} does not answer; waited {limit:g} s ({self._name})')
