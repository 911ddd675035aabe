# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens, for all who watch. The task never waits for any of them.

Every client reads the same list at its own speed, and has no queue of its own: one that is slow
or gone costs nothing but its connection.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from replan_agent.domain.event import Event
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.run_folder import as_json

from .story import Story

MOST_EVENTS = 20_000  # of one run; later ones are in its folder
END = 'task_finished'  # is always told
AT_ONCE = 200
KEEP_ALIVE_S = 10.0
TOGETHER_S = 0.05  # what happens within this time is sent together


class Feed:
    """The events of the newest run, and wake-up calls for whoever waits for more.

    It is the recorder of the run: `record` is called by the thread of the task.
    """

    def __init__(self) -> None:
        self.run = ''
        self.lines: list[str] = []
        self._robot_time: Callable[[], float] = lambda: 0.0
        self._started = 0.0
        self._story = Story(is_live=True)
        self._lock = threading.Lock()
        self._waiting: set[Callable[[], None]] = set()
        self.ended = False

    def begin(self, run: str, robot_time: Callable[[], float] = lambda: 0.0) -> None:
        """A new run starts; the events of the last one are in its folder."""
        self._robot_time, self._started = robot_time, time.monotonic()
        self._story = Story(is_live=True)
        with self._lock:
            self.run, self.lines = run, []
        self.wake()

    def record(self, event: Event) -> None:
        self.add(event.kind, self._robot_time(), event.as_dict())

    def add(self, kind: str, robot_s: float, data: Mapping[str, Any]) -> None:
        """An event happened. One thread at a time."""
        if len(self.lines) >= MOST_EVENTS and kind != END:
            return
        line = {'event': kind, 'wall_s': round(time.monotonic() - self._started, 3),
                'robot_s': round(robot_s, 3), **data}
        self.lines.append(as_json(self._story.told(line)))
        self.wake()

    def finish(self, result: TaskResult) -> None:
        """Nothing to do: the last event was the end of the task."""

    def wake(self) -> None:
        """Tell all who wait that something is new. From any thread."""
        with self._lock:
            waiting = tuple(self._waiting)
        for wake in waiting:
            wake()

    def end(self) -> None:
        """End all streams: the server ends."""
        self.ended = True
        self.wake()

    @property
    def watchers(self) -> int:
        return len(self._waiting)

    async def stream(self, status: Callable[[], Any], run: str = '', seen: int = 0
                     ) -> AsyncIterator[str]:
        """Server-sent events for one client: the status whenever it changes, and all events.

        A client that comes back says which run it knows, and how many of its events.
        """
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not news.is_set():
                try:
                    loop.call_soon_threadsafe(news.set)
                except RuntimeError:
                    pass  # the server has ended

        with self._lock:
            self._waiting.add(wake)
        try:
            said = ''
            while not self.ended:
                news.clear()
                now = as_json(status())
                if now != said:
                    said = now
                    yield f'event: status\ndata: {now}\n\n'
                with self._lock:
                    name, lines = self.run, self.lines
                if run != name or seen > len(lines):
                    run, seen = name, 0
                    yield f'event: run\ndata: {as_json({"run": run})}\n\n'
                while seen < len(lines):
                    some = lines[seen:seen + AT_ONCE]
                    seen += len(some)
                    yield ''.join(f'event: happened\ndata: {line}\n\n' for line in some)
                try:
                    await asyncio.wait_for(news.wait(), KEEP_ALIVE_S)
                    await asyncio.sleep(TOGETHER_S)
                except asyncio.TimeoutError:
                    yield ': still here\n\n'
        finally:
            with self._lock:
                self._waiting.discard(wake)
