# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which connections to a server stay open: those who say nothing keep nobody out."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

RIGHT = 'right'  # in the scope of a request: what its client may do; without it, nothing
MOST_STRANGERS = 200  # connections whose client has not shown yet that it may ask anything
SLOWEST_S = 10.0  # for a client to send a whole request
AT_ONCE = 20  # connections that are accepted before one is looked at: each is an open file
WAITING = 1024  # that wait in the system to be accepted


class Connection(H11Protocol):
    """One connection. If there are too many of strangers, the oldest of the address with most of
    them makes room for a new one; so there is always room for who has a right.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since, self._answers = self.loop.time(), self.cycle
        self._came = self._since
        strangers = [one for one in self.connections if isinstance(one, Connection)
                     and (one.scope or {}).get(RIGHT) is None
                     and not one.transport.is_closing()]
        if len(strangers) > MOST_STRANGERS:
            (crowd, _), = Counter(one._address for one in strangers).most_common(1)
            min((one for one in strangers if one._address == crowd),
                key=lambda one: one._came).transport.abort()

    @property
    def _address(self) -> Any:
        return self.client[0] if self.client else None

    def end_if_slow(self) -> None:
        """Close it if its client has not sent a whole request in time; to be called often."""
        now, answers = self.loop.time(), self.cycle
        waits = answers is None or answers.response_complete or answers.more_body
        if not waits or answers is not self._answers:
            self._since, self._answers = now, answers
        elif now - self._since > SLOWEST_S:
            self.transport.abort()
