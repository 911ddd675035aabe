# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""motion.jsonl: where the arm was, and where the things were, at each moment of a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from replan_agent.domain.motion_sample import MotionSample, PoseNumbers, Trace
from replan_agent.text.file_bytes import NotWritten

from .line_file import LineFile

MOTION = 'motion.jsonl'
PERIOD_S = 0.04  # of robot time: 25 lines a second
MOST_BYTES = 64_000_000  # over an hour of robot time; then it ends, and events.jsonl says so
MOVED = 1e-4  # m, or of a quaternion: a thing is written again if a number changed by more


class MotionFile:
    """Writes the samples of a trace. A disk that is full ends the file, not the task.

    `problem` says why it ended, `is_lost` whether that is a disk that took no more. Samples may
    come from another thread than that of the task.
    """

    def __init__(self, path: Path, trace: Trace) -> None:
        self.problem = ''
        self.is_lost = False
        self._lock = threading.Lock()
        self._lines = MotionLines()
        self._bytes = 0
        self._end = lambda: None
        with self._until_lost():
            self._file = LineFile(path)
            self._write(json.dumps({'format': 1, 'period_s': PERIOD_S}))
            self._end = trace(self.add, PERIOD_S)

    def add(self, sample: MotionSample) -> None:
        with self._lock, self._until_lost():
            line = '' if self.problem else self._lines.line(sample)
            if line:
                self._write(line)

    def flush(self) -> None:
        """Get what was added to the disk."""
        with self._lock, self._until_lost():
            if not self.problem:
                self._file.flush()

    def close(self) -> None:
        self._end()
        with self._lock, self._until_lost():
            if not self.problem:
                self._file.close()

    def _write(self, line: str) -> None:
        self._bytes += len(line) + 1
        if self._bytes > MOST_BYTES:
            self.problem = f'{MOTION}: longer than {MOST_BYTES / 1e6:g} MB'
            self._file.close()
        else:
            self._file.add(line)

    @contextmanager
    def _until_lost(self) -> Iterator[None]:
        """If the disk takes no more, the file ends with the last whole line that it took."""
        try:
            yield
        except NotWritten as error:
            self.problem, self.is_lost = f'{MOTION}: {error.why}', True
            with suppress(NotWritten, AttributeError):
                self._file.close()


class MotionLines:
    """Turns samples into lines. Floats are written so that they are read back exactly."""

    def __init__(self) -> None:
        self._written: dict[str, PoseNumbers] = {}
        self._last_s: float | None = None

    def line(self, sample: MotionSample) -> str:
        """The sample with the things that moved since they were last written.

        '' if this moment was written already.
        """
        if sample.robot_s == self._last_s:
            return ''
        self._last_s = sample.robot_s
        moved = {name: pose for name, pose in sample.objects.items()
                 if self._has_moved(name, pose)}
        self._written |= moved
        command = sample.gripper_command_m
        return json.dumps({'t': sample.robot_s, 'q': sample.joints, 'w': sample.gripper_m,
                           **({} if command is None else {'c': command}),
                           **({'f': sample.forces} if sample.forces else {}),
                           **({'objects': moved} if moved else {})}, ensure_ascii=False)

    def _has_moved(self, name: str, pose: PoseNumbers) -> bool:
        before = self._written.get(name)
        return before is None or any(abs(a - b) > MOVED for a, b in zip(before, pose))
