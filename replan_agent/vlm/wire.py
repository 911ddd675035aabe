# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One request to a model while it is under way: what has arrived, and how to cut it off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

CONNECTED = ('connect_tcp.complete', 'start_tls.complete')


class Wire:
    """What the waiting thread knows about a request that another thread makes.

    `has_begun`: a part of the answer has arrived. `tokens` counts the parts of a streamed answer;
    most servers send one token in each.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.tokens = 0
        self._streams: list[Any] = []
        self._is_cut = False
        self._lock = threading.Lock()

    def trace(self, name: str, info: Mapping[str, Any]) -> None:
        """Keep the connections of the request: the HTTP client calls this for its events."""
        stream = info.get('return_value')
        if name.endswith(CONNECTED) and stream is not None:
            with self._lock:
                self._streams.append(stream)
                cut = self._is_cut
            if cut:
                _shut(stream)

    def cut(self) -> None:
        """Shut the connections: the server sees it at once, and the blocked thread wakes up.

        To close a socket is not enough while another thread reads from it.
        """
        with self._lock:
            self._is_cut = True
            streams = tuple(self._streams)
        for stream in streams:
            _shut(stream)


def _shut(stream: Any) -> None:
    try:
        stream.get_extra_info('socket').shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):
        pass  # it is closed already, or a later layer (TLS) has taken it over


# The request that this thread makes. A new thread begins without one.
CURRENT: ContextVar[Wire | None] = ContextVar('current wire', default=None)
