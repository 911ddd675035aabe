"""A service of another node, called from a thread that never spins."""

from __future__ import annotations

import time
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import Header

from replan_agent.agent.ports import NodeLost
from replan_agent.domain.context import Context

from .qos import HEARTBEAT
from .timeouts import Timeouts
from .waiting import first_finished, holds_in_time

SENDS = 2  # with a server just discovered, a request or its answer may get lost
BEAT_S = 0.2  # between two signs of life of a server
SLICE_S = 0.2  # of a wait, after which signs of life are counted


class NodeGone(NodeLost):
    """The node is not there, or gives no sign of life."""


class ServicePort:
    """Sends a request, and again if no answer comes; only for requests that may be repeated.

    The first answer counts, also a slow answer to the first request. With a `heartbeat` topic, a
    server that dies is noticed by its silence: discovery takes 20 s to notice a killed process.
    """

    def __init__(self, node: Node, service_type: Any, name: str, server: str,
                 timeouts: Timeouts, heartbeat: str = '') -> None:
        self._client = node.create_client(service_type, name,
                                          callback_group=ReentrantCallbackGroup())
        self._name = name
        self._server = server
        self._timeouts = timeouts
        self._beats = 0
        if heartbeat:
            node.create_subscription(Header, heartbeat, self._on_beat, HEARTBEAT,
                                     callback_group=ReentrantCallbackGroup())

    def _on_beat(self, _: Header) -> None:
        self._beats += 1

    def call(self, request: Any, ctx: Context, timeout_s: float | None = None) -> Any:
        """The response. Raises NodeLost if none comes within `timeout_s`."""
        limit = self._timeouts.answer_timeout if timeout_s is None else timeout_s
        appear = self._timeouts.appear_timeout
        if not holds_in_time(self._client.service_is_ready, appear, ctx):
            raise NodeGone(f'{self._server} is not there; waited {appear:g} s ({self._name})')
        sent: list[Any] = []
        silence = _Silence(self._beats)
        try:
            for _ in range(SENDS):
                sent.append(self._client.call_async(request))
                answer = self._first_answer(sent, limit / SENDS, ctx, silence)
                if answer is not None:
                    return answer.result()
        finally:
            for future in sent:
                self._client.remove_pending_request(future)
        raise NodeLost(f'{self._server} does not answer; waited {limit:g} s ({self._name})')

    def _first_answer(self, sent: list[Any], timeout_s: float, ctx: Context,
                      silence: _Silence) -> Any | None:
        """The future that is done in time, or None; raises NodeGone if the server is silent."""
        until = time.monotonic() + timeout_s
        while (left_s := until - time.monotonic()) > 0:
            answer = first_finished(sent, min(left_s, SLICE_S), ctx)
            if answer is not None:
                return answer
            silent_s = silence.after(min(left_s, SLICE_S), self._beats)
            if silent_s > self._timeouts.silence_timeout:
                raise NodeGone(f'{self._server} fell silent; waited {silent_s:.1f} s '
                               f'({self._name})')
        return None


class _Silence:
    """How long a server that has a heartbeat is silent.

    It is counted in waits: a pause of this process does not count.
    """

    def __init__(self, beats: int) -> None:
        self._beats = beats
        self._silent_s = 0.0

    def after(self, waited_s: float, beats: int) -> float:
        """The silence (s) after another wait; 0 if the server has never had a heartbeat."""
        self._silent_s = self._silent_s + waited_s if beats == self._beats and beats else 0.0
        self._beats = beats
        return self._silent_s
