# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run folder: events, motion, pictures, plans/; at the end result.json and reports."""

from __future__ import annotations

import errno
import json
import logging
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from replan_agent.domain import event as events
from replan_agent.domain.motion_sample import Trace
from replan_agent.domain.task_result import TaskResult
from replan_agent.text.file_bytes import NotWritten, write_whole, writing
from replan_agent.text.plain_values import plain
from replan_agent.text.shown_text import escaped

from .line_file import LineFile
from .motion_file import MOTION, MotionFile
from .picture_files import PICTURES, FrameSource, PictureFiles
from .run_json import EVENTS

# Power may fail at any time, and these must survive. Syncing every event would cost the loop 1 ms.
SYNCED = (events.AttemptRecorded, events.TaskFinished)
RESULT, PLANS, LOCK = 'result.json', 'plans', '.lock'
REPORT = 'report.html'  # of the package replan_agent_export
RUN_FILES = (RESULT, EVENTS, PLANS, MOTION, PICTURES, REPORT)
LONGEST_LABEL = 40
MOST_AT_ONCE = 1000  # runs that start in the same second

log = logging.getLogger(__name__)


class RunFolder:
    """Writes one run. Each event is in the file before `record` returns.

    A run that is in the folder already is moved to `earlier-1`, or the next free number. Raises
    OSError if another process is writing there; if that process dies, the folder is free.
    `frame` gives the pictures of key moments, `trace` the motion; `reports` are called with the
    folder after the result is written. If one of these cannot be
    written, the next event says why (`unrecorded`), and the task goes on; `finish` raises
    NotWritten then, after it has written what it can. Every file that is there is whole.
    """

    def __init__(self, path: Path, robot_time: Callable[[], float] = lambda: 0.0,
                 frame: FrameSource | None = None, trace: Trace | None = None,
                 reports: Sequence[Callable[[Path], None]] = ()) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._robot_time, self._reports = robot_time, reports
        self._started = time.monotonic()
        self._lock = locked(path / LOCK)
        _move_earlier_run(path)
        self._lost: list[str] = []  # what a disk that took no more kept from the record
        self._events = LineFile(path / EVENTS)
        self._pictures = PictureFiles(path, frame)
        self._motion = MotionFile(path / MOTION, trace) if trace else None
        self._parts: list[PictureFiles | MotionFile] = [self._pictures]
        self._parts += [self._motion] if self._motion else []
        self._told: set[str] = set()  # problems that are in the events
        began = datetime.now().astimezone() - timedelta(seconds=time.monotonic() - self._started)
        self._started_at = began.isoformat(timespec='milliseconds')

    def record(self, event: events.Event) -> None:
        with self._noted():
            line: dict[str, Any] = {
                'event': event.kind,
                'wall_s': round(time.monotonic() - self._started, 6),
                'robot_s': round(self._robot_time(), 6),
            }
            if isinstance(event, events.TaskStarted):
                line['started_at'] = self._started_at  # when wall_s was 0
            picture = self._pictures.file_for(event)
            if self._motion:
                self._motion.flush()
            line |= {**({'picture': picture} if picture else {}), **self._unrecorded(),
                     **event.as_dict()}
            self._events.add(as_json(line))
            self._events.flush()
            if isinstance(event, SYNCED):
                self._events.sync()
            if isinstance(event, (events.PlanMade, events.PlanAdapted)):
                write_json(self.path / PLANS / f'{event.plan.version}.json', event.plan.as_dict())

    def finish(self, result: TaskResult) -> None:
        with self._lock:
            if self._motion:
                self._motion.close()
            with suppress(NotWritten), self._noted():
                self._events.close()
            self._lost += [part.problem for part in self._parts if part.is_lost]
            self._write_result(result)  # before the report: an interrupt must not cost it
            before = len(self._lost)
            self._report()
            if len(self._lost) > before:
                self._write_result(result)
        if self._lost:
            raise NotWritten(self.path, '; '.join(dict.fromkeys(self._lost)))

    def _write_result(self, result: TaskResult) -> None:
        """Write result.json, which names what is lost so far. If that fails, the earlier stays."""
        lost = '; '.join(dict.fromkeys(filter(None, (result.not_recorded, *self._lost))))
        with suppress(NotWritten), self._noted():
            write_json(self.path / RESULT, replace(result, not_recorded=lost).as_dict())

    def _report(self) -> None:
        """A report that cannot be told is a warning: the record is complete."""
        for write in self._reports:
            try:
                with suppress(NotWritten), self._noted():
                    write(self.path)
            except Exception as error:  # noqa: BLE001 nobody may lose a record by its report
                log.warning(f'{self.path}: no report: {error}')

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Keeps in mind what could not be written."""
        try:
            yield
        except NotWritten as error:
            self._lost.append(f'{error.path.relative_to(self.path)}: {error.why}')
            raise NotWritten(self.path, self._lost[-1]) from error

    def _unrecorded(self) -> dict[str, str]:
        """What went wrong with the pictures or the motion since the last event."""
        found = {part.problem for part in self._parts if part.problem}
        new = sorted(found - self._told)
        self._told |= found
        return {'unrecorded': '; '.join(new)} if new else {}


def write_json(file: Path, value: Any) -> None:
    """Write the value as JSON, on the disk when this returns. Raises NotWritten."""
    with writing(file):
        file.parent.mkdir(exist_ok=True)
    write_whole(file, as_json(value, indent=2) + '\n', sync=True)


def locked(file: Path) -> TextIO:
    """The open file; nobody else has it until it is closed or this process ends."""
    stream = open(file, 'w')  # noqa: SIM115
    try:
        import fcntl  # does not exist on every platform
    except ImportError:
        return stream
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        raise OSError(errno.EBUSY, 'another run is writing there; name another folder') from None
    return stream


def _move_earlier_run(path: Path) -> None:
    """Keep an earlier run under a name of its own: it must not pass for the one that starts."""
    for name in (RESULT, REPORT):  # of a run that was killed
        (path / f'{name}.partial').unlink(missing_ok=True)
    found = [path / name for name in RUN_FILES if (path / name).exists()]
    if any(file.name in (RESULT, EVENTS) for file in found):  # else it is not from a run
        number = 1
        while (path / f'earlier-{number}').exists():
            number += 1
        (path / f'earlier-{number}').mkdir()
        for file in found:
            file.rename(path / f'earlier-{number}' / file.name)


def new_run_path(root: Path, label: str) -> Path:
    """A new folder that sorts by time; no other run gets it. The label never leads elsewhere."""
    words = re.sub(r'[^\w.-]+', '_', label)[-LONGEST_LABEL:].strip('._') or 'run'
    stem = f'{datetime.now():%Y%m%d-%H%M%S}-{words}'
    for path in (root / stem, *(root / f'{stem}-{n}' for n in range(2, MOST_AT_ONCE))):
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError:
            pass  # RunFolder meets the same error and reports it
        break
    return path


def as_json(value: Any, indent: int | None = None) -> str:
    """A value as JSON text, as in the run folder. The record never fails because of a value.

    A terminal can show it: control characters are escaped.
    """
    simple = plain(value)
    try:
        return escaped(json.dumps(simple, indent=indent, ensure_ascii=False, allow_nan=False))
    except ValueError:  # NaN, infinity
        return escaped(json.dumps(_finite(simple), indent=indent, ensure_ascii=False))


def _finite(value: Any) -> Any:
    """The plain value with 'nan' and 'inf' as texts."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
