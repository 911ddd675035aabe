"""Recorders that keep events in memory or pass them on."""

from __future__ import annotations

from replan_agent.agent.ports import Recorder
from replan_agent.domain.event import Event
from replan_agent.domain.outcome import TaskResult


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
    """Passes everything on to several recorders, in order."""

    def __init__(self, *recorders: Recorder) -> None:
        self._recorders = recorders

    def record(self, event: Event) -> None:
        for recorder in self._recorders:
            recorder.record(event)

    def finish(self, result: TaskResult) -> None:
        for recorder in self._recorders:
            recorder.finish(result)
