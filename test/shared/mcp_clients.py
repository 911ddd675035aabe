# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real servers for tests of `replan-agent mcp`, and calls of the official client."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 60.0  # far more than needed, because the machine may be busy
T = TypeVar('T')

RED_TO_BOWL = [{'skill': 'pick', 'args': {'object': 'red_cube'}},
               {'skill': 'place_in', 'args': {'target': 'bowl'}}]
# Takes long enough to be stopped on the way: ten times up and down.
UP_AND_DOWN = [{'skill': 'pick', 'args': {'object': 'red_cube'}},
               {'skill': 'place_at', 'args': {'x': 0.46, 'y': 0.1}}] * 10


def command(*words: str, runs: Path) -> list[str]:
    return [sys.executable, '-m', 'replan_agent_page.mcp_server', '--runs', str(runs), *words]


def environment() -> dict[str, str]:
    return {**os.environ, 'PYTHONPATH': f'{ROOT}{os.pathsep}{os.environ.get("PYTHONPATH", "")}'}


def stdio(*words: str, runs: Path) -> StdioServerParameters:
    """A server that the client starts as its own process."""
    program, *rest = command(*words, runs=runs)
    return StdioServerParameters(command=program, args=rest, env=environment(), cwd=runs.parent)


class HttpServer:
    """A server in its own process: its address, and how it ends."""

    def __init__(self, *words: str, runs: Path, **options: Any) -> None:
        self.process = subprocess.Popen(command('--http', '--port', '0', *words, runs=runs),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, cwd=runs.parent,
                                        env={**environment(), **options.pop('env', {})},
                                        **options)
        self.url = self.hears(r'http://\S+(?=\s)')

    def hears(self, pattern: str) -> str:
        """Return what matches in stderr, as soon as it is there: a prompt ends without a line."""
        assert self.process.stderr is not None
        heard = ''
        while letter := self.process.stderr.read(1):
            heard += letter
            if found := re.search(pattern, heard):
                return found.group()
        raise AssertionError(f'it ended without saying {pattern!r}: {heard}')

    def end(self) -> int:
        """Its exit status after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=WAIT_S)
            return self.process.returncode
        finally:
            self.process.kill()


@contextmanager
def http_server(*words: str, runs: Path, **options: Any) -> Iterator[HttpServer]:
    server = HttpServer(*words, runs=runs, **options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def talk(server: Any, conversation: Callable[[Client], Awaitable[T]]) -> T:
    """What a conversation with a server gives: a process, an address or an object."""
    async def whole() -> T:
        with anyio.fail_after(4 * WAIT_S):
            async with Client(server) as client:
                return await conversation(client)

    return anyio.run(whole)


async def asked(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool that does not fail."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that fails."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    return str(answer.content[0].text)


async def joints(client: Client) -> list[float]:
    """The joints of the arm, as the encoders say."""
    return list((await asked(client, 'observe'))['arm']['joints_rad'])


async def in_motion(client: Client) -> dict[str, Any]:
    """The status of the last task, when a step of it is running."""
    with anyio.fail_after(WAIT_S):
        while (status := await asked(client, 'task_status'))['state'] != 'executing':
            assert status['running'], status
    return status


async def resource(client: Client, uri: str) -> Any:
    text = (await client.read_resource(uri)).contents[0].text
    return json.loads(text) if uri.endswith(('json', 'runs')) else text
