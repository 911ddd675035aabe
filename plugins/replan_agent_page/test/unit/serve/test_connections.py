# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Connections over real sockets: those who say nothing keep nobody out, and do not stay."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip('uvicorn', reason="pip install 'replan_agent_page'")

from replan_agent_page.serve import connections  # noqa: E402
from replan_agent_page.web.feed import Feed  # noqa: E402
from replan_agent_page.web.gate import Tokens  # noqa: E402
from replan_agent_page.web.page_app import Page  # noqa: E402
from replan_agent_page.web.past_runs import Gallery  # noqa: E402
from web_servers import HOST, WAIT_S, Listener, asked, served  # noqa: E402

ACT = {'Authorization': 'Bearer act'}
SENT = [b'', b'GET / HTTP/1.1\r\nHost: x\r\n', b'POST /api/stop HTTP/1.1\r\nHost: x\r\n'
        b'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{']


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, 'MOST_STRANGERS', 5)
    with served(Page(tmp_path, Gallery(None), Feed()), Tokens('watch', 'act')) as port:
        yield port


def silent(port: int, count: int, room: ExitStack, sent: bytes = b'') -> list[socket.socket]:
    found = [room.enter_context(socket.create_connection((HOST, port), WAIT_S))
             for _ in range(count)]
    for one in found:
        one.sendall(sent)
    return found


def is_closed(one: socket.socket) -> bool:
    """Whether the server ends it, sooner or later."""
    try:
        while one.recv(1000):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize('sent', SENT, ids=['nothing', 'half a head', 'half a body'])
def test_the_oldest_stranger_makes_room(port: int, sent: bytes) -> None:
    with ExitStack() as room:
        strangers = silent(port, 30, room, sent)
        assert asked(port, '/api/hello', **ACT)[0] == 200
        assert all(map(is_closed, strangers[:20]))


def test_who_has_a_right_is_not_put_out(port: int) -> None:
    with ExitStack() as room:
        listener = Listener(port, **ACT)
        silent(port, 30, room)
        assert asked(port, '/api/hello', **ACT)[0] == 200
        assert next(listener.events())
        listener.close()


@pytest.mark.parametrize('sent', SENT, ids=['nothing', 'half a head', 'half a body'])
def test_a_request_that_does_not_come_in_time_is_not_waited_for(
        port: int, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, 'SLOWEST_S', 0.2)
    with ExitStack() as room:
        (one,) = silent(port, 1, room, sent)
        assert is_closed(one)
