# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recorders that keep events in memory or pass them on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from replan_agent.agent.ports import Recorder
from replan_agent.domain.event import Event
from replan_agent.domain.task_result import TaskResult


class MemoryRecorder:
    """Keeps every event in a list."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.result: TaskResult | None = None

    def record(self, event: Event) -> None:
        self.events.append(event)

    def finish(self, result: TaskResult) -> None:
        self.result = result


class FanOut:
    """Passes events on: first to the record, whose errors reach the caller, then to the watchers.

    A watcher that fails is dropped, with a line on stderr. The task goes on without it.
    """

    def __init__(self, record: Recorder, *watchers: Recorder) -> None:
        self._record = record
        self._watchers = list(watchers)

    def record(self, event: Event) -> None:
        self._record.record(event)
        self._show(lambda watcher: watcher.record(event))

    def finish(self, result: TaskResult) -> None:
        try:
            self._record.finish(result)
        finally:
            self._show(lambda watcher: watcher.finish(result))

    def _show(self, show: Callable[[Recorder], None]) -> None:
        for watcher in tuple(self._watchers):
            try:
                show(watcher)
            except Exception as error:  # noqa: BLE001 a watcher must not end the task
                self._watchers.remove(watcher)
                with suppress(OSError, ValueError):  # stderr may be closed too
                    print(f'{type(watcher).__name__} failed; the task goes on without it: '
                          f'{type(error).__name__}: {error}', file=sys.stderr)
