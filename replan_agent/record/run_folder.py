"""The run folder: events.jsonl as things happen, result.json at the end."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from replan_agent.domain.event import AttemptRecorded, Event, TaskFinished
from replan_agent.domain.outcome import TaskResult

# Power may go at any time; these must survive it. A sync of every event would cost the loop 1 ms.
SYNCED = (AttemptRecorded, TaskFinished)


class RunFolder:
    """Writes one run. Each event is in the file before `record` returns."""

    def __init__(self, path: Path, robot_time: Callable[[], float] = lambda: 0.0) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._robot_time = robot_time
        self._started = time.monotonic()
        self._events = open(path / 'events.jsonl', 'w', encoding='utf-8')  # noqa: SIM115

    def record(self, event: Event) -> None:
        line = {
            'event': event.kind,
            'wall_s': round(time.monotonic() - self._started, 6),
            'robot_s': round(self._robot_time(), 6),
            **event.as_dict(),
        }
        self._events.write(_json(line) + '\n')
        self._events.flush()
        if isinstance(event, SYNCED):
            os.fsync(self._events.fileno())

    def finish(self, result: TaskResult) -> None:
        """Write result.json whole or not at all."""
        partial = self.path / 'result.json.partial'
        partial.write_text(_json(result.as_dict(), indent=2) + '\n', encoding='utf-8')
        os.replace(partial, self.path / 'result.json')
        self._events.close()


def new_run_path(root: Path, label: str) -> Path:
    """A folder name that sorts by time and is not taken yet."""
    stem = f'{datetime.now():%Y%m%d-%H%M%S}-{label}'
    path, n = root / stem, 1
    while path.exists():
        n += 1
        path = root / f'{stem}-{n}'
    return path


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False,
                      default=_unknown)


def _unknown(value: Any) -> Any:
    if hasattr(value, 'tolist'):  # a numpy number that slipped into evidence
        return value.tolist()
    raise TypeError(f'cannot write {type(value).__name__} to JSON: {value!r}')
