# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run, event by event: what exports and replays read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.record.motion_file import MOTION
from replan_agent.record.picture_files import CAMERA, PICTURES
from replan_agent.record.run_folder import EVENTS
from replan_agent.record.run_json import Json, RunUnreadable, json_file, json_lines
from replan_agent.text.file_bytes import exists, file_bytes
from replan_agent.text.json_text import LONGEST_FILE
from replan_agent.text.shown_text import one_line

from .recorded_motion import motion_in

FOREVER_S = 9e9  # far beyond any clock; nanoseconds of it fit into 64 bits


@dataclass(frozen=True)
class RecordedRun:
    """The events of a run folder. A run that was killed ends with its last whole event."""

    folder: Path
    events: tuple[Json, ...]

    @staticmethod
    def load(path: Path | str) -> RecordedRun:
        """A run by its folder, or a file in it. Raises RunUnreadable."""
        path = Path(path)
        if not exists(path):
            raise RunUnreadable(f'{one_line(path, 300)}: there is no such run')
        folder = path if path.is_dir() else path.parent
        if not (folder / EVENTS).is_file():
            raise RunUnreadable(f'{folder}: not the folder of a run: it has no {EVENTS}')
        events = tuple(_checked(where, event) for where, event in json_lines(folder / EVENTS))
        if not events or events[0]['event'] != 'task_started':
            raise RunUnreadable(f'{folder / EVENTS}: it does not begin with the start of a task')
        return RecordedRun(folder, events)

    @property
    def task(self) -> str:
        return str(self.events[0].get('task', ''))

    def fact(self, name: str) -> Any:
        """A fact that was known at the start: 'scene', 'seed', 'settings' ...; None without it."""
        facts = self.events[0].get('facts')
        return facts.get(name) if isinstance(facts, dict) else None

    @property
    def succeeded(self) -> bool:
        """Whether the task succeeded. A run without an end did not."""
        return self.events[-1]['event'] == 'task_finished' and self.events[-1]['success'] is True

    @property
    def has_motion(self) -> bool:
        return (self.folder / MOTION).is_file()

    def motion(self) -> Iterator[MotionSample]:
        """The samples of the motion, as they happened. Raises RunUnreadable."""
        if not self.has_motion:
            raise RunUnreadable(f'{self.folder}: it has no {MOTION}: runs over ROS and those of '
                                'earlier versions have none')
        return motion_in(self.folder)

    def picture(self, name: str) -> bytes:
        """The content of a picture that an event names. Raises RunUnreadable."""
        file = self.folder / name
        if not file.resolve().is_relative_to(self.folder.resolve()):
            raise RunUnreadable(f'{self.folder}: the picture {name!r} is outside of it')
        try:
            return file_bytes(file, LONGEST_FILE)
        except ConfigError as error:
            raise RunUnreadable(str(error)) from error

    def camera(self) -> Json | None:
        """Intrinsics and pose of the pictures' camera; None without pictures."""
        file = self.folder / PICTURES / CAMERA
        return json_file(file) if file.is_file() else None


def _checked(where: str, event: Json) -> Json:
    times = [event.get('robot_s'), event.get('wall_s')]
    if not isinstance(event.get('event'), str) or not all(map(_is_time, times)):
        raise RunUnreadable(f'{where}: not an event: it needs event, wall_s and robot_s')
    return event


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < FOREVER_S
