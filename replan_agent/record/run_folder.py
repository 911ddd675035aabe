"""The run folder: events.jsonl and plans/ during the run, result.json at the end."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from replan_agent.domain.event import AttemptRecorded, Event, PlanMade, TaskFinished, plain
from replan_agent.domain.task_result import TaskResult
from replan_agent.domain.text import escaped

# Power may fail at any time, and these must survive. Syncing every event would cost the loop 1 ms.
SYNCED = (AttemptRecorded, TaskFinished)
RESULT, PLANS = 'result.json', 'plans'
# A lone surrogate, e.g. in a file name, is written as its JSON escape.
TEXT: Any = {'encoding': 'utf-8', 'errors': 'backslashreplace'}


class RunFolder:
    """Writes one run. Each event is in the file before `record` returns."""

    def __init__(self, path: Path, robot_time: Callable[[], float] = lambda: 0.0) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._robot_time = robot_time
        self._started = time.monotonic()
        for of_an_earlier_run in (path / RESULT, _partial(path / RESULT),
                                  *(path / PLANS).glob('*.json')):
            of_an_earlier_run.unlink(missing_ok=True)
        self._events = open(path / 'events.jsonl', 'w', **TEXT)  # noqa: SIM115

    def record(self, event: Event) -> None:
        line = {
            'event': event.kind,
            'wall_s': round(time.monotonic() - self._started, 6),
            'robot_s': round(self._robot_time(), 6),
            **event.as_dict(),
        }
        self._events.write(as_json(line) + '\n')
        self._events.flush()
        if isinstance(event, SYNCED):
            os.fsync(self._events.fileno())
        if isinstance(event, PlanMade):
            self._write(PLANS, f'{event.plan.version}.json', value=event.plan.as_dict())

    def finish(self, result: TaskResult) -> None:
        self._write(RESULT, value=result.as_dict())
        self._events.close()

    def _write(self, *parts: str, value: Any) -> None:
        """Write the whole file or nothing."""
        file = self.path.joinpath(*parts)
        file.parent.mkdir(exist_ok=True)
        partial = _partial(file)
        partial.write_text(as_json(value, indent=2) + '\n', **TEXT)
        os.replace(partial, file)


def _partial(file: Path) -> Path:
    return file.with_name(f'{file.name}.partial')


def new_run_path(root: Path, label: str) -> Path:
    """A folder name that sorts by time and does not exist yet."""
    stem = f'{datetime.now():%Y%m%d-%H%M%S}-{label}'
    path, n = root / stem, 1
    while path.exists():
        n += 1
        path = root / f'{stem}-{n}'
    return path


def as_json(value: Any, indent: int | None = None) -> str:
    """A value as JSON text, as in the run folder. The record never fails because of a value.

    A terminal can show it: control characters are escaped.
    """
    try:
        return escaped(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False,
                                  default=plain))
    except (TypeError, ValueError):  # NaN, infinity, a key that is no text, a circle
        return escaped(json.dumps(_writable(value), indent=indent, ensure_ascii=False))


def _writable(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """The value with 'nan' and 'inf' as texts, keys as texts, and '...' where it holds itself."""
    if id(value) in inside:
        return '...'
    inside = (*inside, id(value))
    if isinstance(value, Mapping):
        return {str(key): _writable(v, inside) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(v, inside) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    simple = plain(value)
    return _writable(simple, inside) if isinstance(simple, (dict, list)) else simple
