# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Serves an ASGI application until a signal comes. Then the arm is stopped."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from replan_agent.app.terminal.exits import WrongUse
from replan_agent.text.shown_text import shown

from .connections import AT_ONCE, WAITING, Connection

GRACE_S = 2  # for open connections at the end
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class HttpServer(uvicorn.Server):
    """Leaves signals to us: its own handling would end the process before the arm stands still.

    `on_end` is called before it waits for open connections.
    """

    def __init__(self, app: ASGIApp, lifespan: Literal['on', 'off'] = 'off',
                 on_end: Callable[[], None] = lambda: None) -> None:
        super().__init__(uvicorn.Config(app, log_level='warning', lifespan=lifespan,
                                        proxy_headers=False,  # who asks is recorded
                                        http=Connection, backlog=AT_ONCE,
                                        timeout_graceful_shutdown=GRACE_S))
        self._on_end = on_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(WAITING)

    async def on_tick(self, counter: int) -> bool:
        for one in tuple(self.server_state.connections):
            if isinstance(one, Connection):
                one.end_if_slow()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            self._on_end()
        finally:
            await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve_until_signal(http: HttpServer, listening: socket.socket, close: Callable[[], None]
                       ) -> None:
    """Serve on the socket until a signal comes, then call `close`."""
    def end() -> None:
        http.should_exit = True

    with on_signal(end):
        try:
            http.run(sockets=[listening])
        finally:
            close()


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens: clients may connect now. Raises WrongUse if the address is taken."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WrongUse(f'--port {port}: another program uses this port; name another, or '
                           '--port 0 for any that is free') from error
        raise WrongUse(f'--host {host} --port {port}: {error.strerror or error}') from error
    except ValueError as error:  # no name of a host, as 'a..b'
        raise WrongUse(f'--host {shown(host)}: it is not the name or address of a host') from error


def shown_address(host: str, listening: socket.socket) -> str:
    """The address of the server, as a link."""
    name = f'[{host}]' if ':' in host else host
    return f'http://{name}:{listening.getsockname()[1]}'


@contextmanager
def on_signal(end: Callable[[], None]) -> Iterator[None]:
    """Calls `end` when this process should end."""
    def heard(number: int, frame: FrameType | None) -> None:
        end()

    previous = {number: signal.signal(number, heard) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
