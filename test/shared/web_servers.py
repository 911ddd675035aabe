# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real servers of the page for tests, and plain HTTP to talk to them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.http_serving import HttpServer, bound
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.page_arm import Arm
from replan_agent_page.web.page_station import Choice, PageStation
from replan_agent_page.web.past_runs import Gallery

from replan_agent.app.build.config_file import load_config

HOST = '127.0.0.1'
WAIT_S = 30.0  # far more than needed, because the machine may be busy
NO_TOKENS = Tokens()


@contextmanager
def served(page: Page, tokens: Tokens = NO_TOKENS) -> Iterator[int]:
    """The port of a page on real HTTP, in another thread."""
    with bound(HOST, 0) as listening:
        server = HttpServer(page.app(HOST, tokens), on_end=page.end)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(WAIT_S)


class WebArm:
    """A page with a simulated arm: `port`, and the parts behind it.

    `settings` are keys of the settings, of their section `agent` or of `approval`.
    """

    def __init__(self, runs: Path, scene: str = 'tabletop', approver: str = 'console',
                 pace: float = 0.0, **settings: Any) -> None:
        config = replace(load_config(), approver=approver)
        for part in (config, config.agent, config.approval):
            own = {key: settings.pop(key) for key in tuple(settings) if hasattr(part, key)}
            changed = replace(part, **own)
            config = (replace(config, agent=changed) if part is config.agent else
                      replace(config, approval=changed) if part is config.approval else changed)
        self.feed = Feed()
        choice = Choice(scene, 0, config.planner, config.perception, config.robot.model)
        self.station = PageStation(config, choice, self.feed, 10, pace)
        self.desk = Desk(self.station, runs, 'web')
        self.desk.on_change = self.feed.wake
        self.page = Page(runs, Gallery(None), self.feed, Arm(self.desk, self.station))
        self.port = 0

    @property
    def url(self) -> str:
        return f'http://{HOST}:{self.port}/'

    def joints(self) -> list[float]:
        return [float(angle) for angle in self.station.shown.world.data.qpos[:7]]


@contextmanager
def web_arm(runs: Path, tokens: Tokens = NO_TOKENS, **options: Any) -> Iterator[WebArm]:
    """A page with a simulated arm, served."""
    arm = WebArm(runs, **options)
    try:
        with served(arm.page, tokens) as arm.port:
            yield arm
    finally:
        arm.desk.close()


def asked(port: int, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """The status and the JSON (or the bytes) of an answer. A body makes it a POST."""
    connection = http.client.HTTPConnection(HOST, port, timeout=WAIT_S)
    sent = None if body is None else json.dumps(body)
    more = {'Content-Type': 'application/json'} if sent else {}
    connection.request('POST' if sent else 'GET', path, sent,
                       {**more, **{k.replace('_', '-'): v for k, v in headers.items()}})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    is_json = answer.headers.get('content-type', '').startswith('application/json')
    return answer.status, json.loads(content) if is_json else content


class Listener:
    """One client of the event stream."""

    def __init__(self, port: int, query: str = '', **headers: str) -> None:
        self.connection = http.client.HTTPConnection(HOST, port, timeout=WAIT_S)
        self.connection.request('GET', f'/api/events?{query}', headers=headers)
        self.answer = self.connection.getresponse()

    def events(self) -> Iterator[tuple[str, Any]]:
        kind = ''
        for line in self.answer:
            text = line.decode().rstrip('\n')
            if text.startswith('event: '):
                kind = text[7:]
            elif text.startswith('data: '):
                yield kind, json.loads(text[6:])

    def until(self, wanted: str) -> list[dict[str, Any]]:
        """What happens until an event of that kind, with it."""
        found = []
        for kind, data in self.events():
            if kind == 'happened':
                found.append(data)
                if data['event'] == wanted:
                    return found
        raise AssertionError(f'the stream ended without {wanted}')

    def question(self, after: int = -1) -> dict[str, Any]:
        """The next question that is open; it is not the one with the number `after`."""
        for kind, data in self.events():
            if kind == 'status' and data['question'] and data['question']['number'] != after:
                return dict(data['question'])
        raise AssertionError('the stream ended without a question')

    def close(self) -> None:
        self.connection.close()
