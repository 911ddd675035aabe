# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent mcp --http`, driven by the official client: real processes, HTTP and physics."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_clients import (
    RED_TO_BOWL,
    UP_AND_DOWN,
    WAIT_S,
    asked,
    command,
    environment,
    http_server,
    in_motion,
    joints,
    refused,
    talk,
)

TOKEN = 'a token of more than sixteen characters'
HELLO = {'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}
JSON = {'Accept': 'application/json, text/event-stream'}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / 'runs'


@pytest.fixture(scope='module')
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server that approves all plans, and its folder."""
    runs = tmp_path_factory.mktemp('mcp') / 'runs'
    with http_server(runs=runs) as server:
        yield server.url, runs
        assert server.end() == 0


def reset(runs: Path) -> str:
    return subprocess.run(command('--reset-stop', runs=runs), env=environment(), check=True,
                          capture_output=True, text=True).stdout


def test_two_clients_share_the_arm_and_either_stops_it(shared: tuple[str, Path]) -> None:
    url, runs = shared

    async def whole() -> None:
        async with Client(url) as one, Client(url) as two:
            started = await asked(one, 'run_plan', steps=UP_AND_DOWN, wait_s=0)
            said = await refused(two, 'say', words='put the blue cube in the bin')
            assert 'busy' in said and started['run'] in said
            await in_motion(two)
            await asked(two, 'stop')
            status = await asked(one, 'task_status', run=started['run'])
            assert status['final_reason'] == 'cancelled' and not status['running']
            assert 'stopped' in await refused(one, 'say', words='go home')
            assert 'released' in await anyio.to_thread.run_sync(reset, runs)
            assert (await asked(one, 'say', words='go home', wait_s=120))['success']

    anyio.run(whole)


def test_a_stop_is_heard_while_many_clients_wait(runs: Path) -> None:
    async def whole(url: str) -> None:
        async with Client(url) as client, anyio.create_task_group() as waiting:
            await asked(client, 'run_plan', steps=UP_AND_DOWN, wait_s=0)
            for _ in range(60):  # more than there are threads for blocking calls
                waiting.start_soon(lambda: asked(client, 'task_status', wait_s=300))
            await in_motion(client)
            assert (await asked(client, 'stop'))['final_reason'] == 'cancelled'

    with http_server(runs=runs) as server:
        anyio.run(whole, server.url)


def test_ctrl_c_at_the_server_ends_the_task_with_a_record(runs: Path) -> None:
    async def start(client: Client) -> str:
        await asked(client, 'run_plan', steps=UP_AND_DOWN, wait_s=0)
        return str((await in_motion(client))['run'])

    with http_server(runs=runs) as server:
        run = talk(server.url, start)
        assert server.end() == 0
    assert '"cancelled"' in (runs / run / 'result.json').read_text()


def test_without_the_token_nobody_gets_in(runs: Path) -> None:
    async def with_token(url: str) -> None:
        headers = {'Authorization': f'Bearer {TOKEN}'}
        async with (httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http,
                    Client(streamable_http_client(url, http_client=http)) as client):
            await joints(client)

    with http_server(runs=runs, env={'REPLAN_AGENT_MCP_TOKEN': TOKEN}) as server:
        for headers in ({}, {'Authorization': 'Bearer wrong'}, {'Authorization': TOKEN}):
            answer = httpx2.post(server.url, json=HELLO, headers={**JSON, **headers},
                                 timeout=WAIT_S)
            assert answer.status_code == 401
        anyio.run(with_token, server.url)


@pytest.mark.parametrize('headers', [{'Host': 'evil.example'}, {'Origin': 'http://evil.example'}])
def test_a_web_page_under_another_name_is_kept_out(shared: tuple[str, Path],
                                                   headers: dict[str, str]) -> None:
    answer = httpx2.post(shared[0], json=HELLO, headers={**JSON, **headers}, timeout=WAIT_S)
    assert answer.status_code in (403, 421)


def test_a_person_at_the_terminal_of_the_server_decides(runs: Path) -> None:
    terminal, person = os.openpty()
    try:
        with http_server('--approver', 'console', runs=runs, stdin=person) as server:
            async def whole(url: str) -> None:
                async with Client(url) as client:
                    before = await joints(client)
                    await asked(client, 'run_plan', steps=RED_TO_BOWL, wait_s=0)
                    with anyio.fail_after(WAIT_S):
                        while 'waits_for_a_person' not in await asked(client, 'task_status'):
                            pass
                    assert await refused(client, 'approve')
                    await anyio.to_thread.run_sync(server.hears, 'Run plan')
                    os.write(terminal, b'no\n')
                    denied = await asked(client, 'task_status', wait_s=120)
                    assert denied['final_reason'] == 'approval_denied'
                    assert await joints(client) == before
                    await asked(client, 'run_plan', steps=RED_TO_BOWL, wait_s=0)
                    await anyio.to_thread.run_sync(server.hears, 'Run plan')
                    os.write(terminal, b'y\n')
                    assert (await asked(client, 'task_status', wait_s=120))['success']

            anyio.run(whole, server.url)
    finally:
        os.close(terminal)
        os.close(person)


def test_silent_connections_keep_no_client_out(runs: Path) -> None:
    with http_server(runs=runs) as server, ExitStack() as room:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (400, 400))
        address = httpx2.URL(server.url)
        for number in range(600):
            one = room.enter_context(socket.create_connection(
                (address.host, address.port), WAIT_S))
            one.sendall(b'POST /mcp HTTP/1.1\r\n' if number % 2 else b'')

        async def stops(client: Client) -> bool:
            return bool((await asked(client, 'stop'))['stopped'])

        assert talk(server.url, stops)
