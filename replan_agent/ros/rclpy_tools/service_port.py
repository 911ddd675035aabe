# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A service of another node, called from a thread that never spins."""

from __future__ import annotations

import math
import time
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.msg import Heartbeat

from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost

from .heart import hear
from .timeouts import Timeouts
from .waiting import first_finished, holds_in_time

SENDS = 2  # with a server just discovered, a request or its answer may get lost
RESEND_S = 2.0
BEAT_S = 0.2  # between two signs of life of a server
SLICE_S = 0.2  # of a wait, after which signs of life are counted


class NodeGone(NodeLost):
    """The node is not there, or gives no sign of life."""


class ServicePort:
    """Sends a request, and again if no answer comes.

    With `once` it is not repeated: for requests that count twice, or must not come late. The first
    answer counts, also a slow answer to the first request. With a `heartbeat` topic, a server that
    dies is noticed by its silence: discovery takes 20 s to notice a killed process.
    """

    def __init__(self, node: Node, service_type: Any, name: str, server: str, timeouts: Timeouts,
                 heartbeat: str = '', once: bool = False) -> None:
        self._client = node.create_client(service_type, name,
                                          callback_group=ReentrantCallbackGroup())
        self._name, self._server = name, server
        self._timeouts, self._once = timeouts, once
        self._log = node.get_logger()
        self._beats = self._heard = 0  # signs of life: all, and those at the last look
        self._silent_s = 0.0
        if heartbeat:
            hear(node, heartbeat, self._on_beat)

    def _on_beat(self, _: Heartbeat) -> None:
        self._beats += 1

    def ask(self, request: Any) -> Any | None:
        """Send a request for whose answer `call` waits later; None if the server is not there."""
        return self._client.call_async(request) if self._client.service_is_ready() else None

    def call(self, request: Any, ctx: Context, timeout_s: float | None = None,
             asked: Any | None = None) -> Any:
        """The response. Raises NodeLost if none comes within `timeout_s`.

        Without `timeout_s`, a node that was killed and starts again has the time to appear.
        `asked` is what `ask` returned for the same request: it is the first that is sent.
        """
        appear = self._timeouts.appear_timeout
        limit = self._timeouts.restart_timeout if timeout_s is None else timeout_s
        pause = limit if self._once else RESEND_S if timeout_s is None else limit / SENDS
        if not holds_in_time(self._client.service_is_ready, appear, ctx):
            raise NodeGone(f'{self._server} is not there; waited {appear:g} s ({self._name})')
        sent = [] if asked is None else [asked]
        try:
            for number in range(math.ceil(limit / pause)):
                if number or asked is None:
                    sent.append(self._client.call_async(request))
                answer = self._first_answer(sent, pause, ctx)
                if answer is not None:
                    return answer.result()
        finally:
            for future in sent:
                self._client.remove_pending_request(future)
        raise NodeLost(f'{self._server} does not answer; waited {limit:g} s ({self._name})')

    def _first_answer(self, sent: list[Any], timeout_s: float, ctx: Context) -> Any | None:
        """The future that is done in time, or None; raises NodeGone if the server stays silent."""
        until = time.monotonic() + timeout_s
        while (left_s := until - time.monotonic()) > 0:
            answer = first_finished(sent, min(left_s, SLICE_S), ctx)
            if answer is not None:
                return answer
            self._note_silence(min(left_s, SLICE_S), ctx)
        return None

    def _note_silence(self, waited_s: float, ctx: Context) -> None:
        """Tell that the server is silent, and raise NodeGone if it does not start again in time.

        Silence is counted in waits: a pause of this process does not count.
        """
        if not self._beats or self._beats > self._heard:
            self._heard, self._silent_s = self._beats, 0.0
            return
        before, self._silent_s = self._silent_s, self._silent_s + waited_s
        limit, appear = self._timeouts.silence_timeout, self._timeouts.appear_timeout
        if self._silent_s > max(limit, appear):
            waited_s, self._silent_s = self._silent_s, 0.0  # the next call waits as long
            raise NodeGone(f'{self._server} fell silent; waited {waited_s:.1f} s ({self._name})')
        if before <= limit < self._silent_s:
            news = (f'{self._server} has been silent for {self._silent_s:.1f} s: it is dead or '
                    f'stuck; waiting up to {appear:g} s for it to start again')
            self._log.error(news)
            ctx.report(news)
