"""A service of another node, called from a thread that never spins."""

from __future__ import annotations

import math
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.agent.ports import NodeLost
from replan_agent.domain.context import Context

from .timeouts import Timeouts
from .waiting import first_finished, holds_in_time

SENDS = 2  # with a server just discovered, a request or its answer may get lost
RESEND_S = 2.0


class ServicePort:
    """Sends a request, and again if no answer comes; only for requests that may be repeated.

    The first answer counts, also a slow answer to the first request.
    """

    def __init__(self, node: Node, service_type: Any, name: str, server: str,
                 timeouts: Timeouts) -> None:
        self._client = node.create_client(service_type, name,
                                          callback_group=ReentrantCallbackGroup())
        self._name = name
        self._server = server
        self._timeouts = timeouts

    def call(self, request: Any, ctx: Context, timeout_s: float | None = None) -> Any:
        """The response. Raises NodeLost if none comes within `timeout_s`.

        Without `timeout_s`, a node that was killed and starts again has the time to appear.
        """
        appear = self._timeouts.appear_timeout
        limit = self._timeouts.restart_timeout if timeout_s is None else timeout_s
        pause = RESEND_S if timeout_s is None else limit / SENDS
        if not holds_in_time(self._client.service_is_ready, appear, ctx):
            raise NodeLost(f'{self._server} is not there; waited {appear:g} s ({self._name})')
        sent: list[Any] = []
        try:
            for _ in range(math.ceil(limit / pause)):
                sent.append(self._client.call_async(request))
                answer = first_finished(sent, pause, ctx)
                if answer is not None:
                    return answer.result()
        finally:
            for future in sent:
                self._client.remove_pending_request(future)
        raise NodeLost(f'{self._server} does not answer; waited {limit:g} s ({self._name})')
