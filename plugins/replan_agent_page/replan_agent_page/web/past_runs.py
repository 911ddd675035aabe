# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Past runs and failed benchmark episodes, as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.record.narrator import worded
from replan_agent.record.picture_files import CAMERA, PICTURES
from replan_agent.record.plan_diff import difference
from replan_agent.record.run_folder import EVENTS, RESULT, as_json
from replan_agent.record.run_json import OTHER_VERSION, RunUnreadable, json_file, json_lines
from replan_agent.record.stored_run import StoredRun
from replan_agent.text.file_bytes import reason
from replan_agent.text.json_text import read_json
from replan_agent.text.shown_text import one_line
from replan_agent_page.serve.run_store import MOST_RUNS, NoSuchRun, RunStore, started

from .page_words import FINAL_WORDS
from .people_log import PEOPLE
from .story import Story

KINDS = {'.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg'}
LARGEST_PICTURE = 20_000_000  # bytes
MOST_EVENTS = 50_000
SEARCHED = ('at', 'task', 'scene', 'why', 'ended', 'unreadable')
FACTS = ('success', 'final_reason', 'why', 'would_help', 'final_detail', 'planner', 'perception',
         'scene', 'seed', 'approver', 'replans', 'goal_verified', 'api_calls')


class PastRuns:
    """The runs directly below a folder. Raises NoSuchRun for what is not there."""

    def __init__(self, root: Path) -> None:
        self._store = RunStore(root)

    def listed(self, skip: int = 0, find: str = '', failed: bool = False) -> dict[str, Any]:
        """Runs in short, the newest first, without the first `skip`; and how many there are.

        `find`: only those that have all these words in name, date, task, scene or verdict.
        """
        names = [name for name in self._store.names()
                 if not (find or failed) or self._is_meant(name, find, failed)]
        runs = []
        for name in names[skip:skip + MOST_RUNS]:
            with suppress(NoSuchRun):  # it was removed a moment ago
                runs.append({'run': name, **self._summary(name)})
        return {'runs': runs, 'count': len(names)}

    def _is_meant(self, name: str, find: str, failed: bool) -> bool:
        try:
            run = self._summary(name)
        except NoSuchRun:
            return False
        verdict = 'succeeded' if run.get('success') else 'failed'
        text = ' '.join(map(str, [name, verdict, *(run.get(key, '') for key in SEARCHED)])).lower()
        return not (failed and run.get('success')) and all(w in text for w in find.lower().split())

    def run(self, name: str) -> dict[str, Any]:
        """Everything about a run: facts, events as the page shows them, who did what."""
        folder = self._store.folder(name)
        story, (events, problem) = Story(), _lines(folder / EVENTS)
        people, unread = _lines(self._store.file(name, PEOPLE))
        camera = self._store.file(name, PICTURES, CAMERA)
        return {'run': name, **self._summary(name), 'camera': _camera(camera),
                'events': [story.told(event) for event in events], 'people': people,
                'broken': '; '.join(filter(None, (problem, unread)))}

    def motion(self, name: str) -> bytes:
        """The motion of a run as JSON, and what it moves."""
        try:
            from .past_motion import motion_json
        except ModuleNotFoundError as error:  # ROS may not have all packages
            return as_json({'samples': [], 'why': f'there is no {error.name}'}).encode()
        return motion_json(self._store.folder(name))

    def grasps(self, name: str, count: int) -> list[Mapping[str, Any]]:
        """The ways to take the thing of the last step that took one in the first events."""
        from .grasp_ways import grasps_before

        return grasps_before(_lines(self._store.folder(name) / EVENTS)[0], count)

    def plan_diff(self, name: str, before: int, other: str, after: int) -> dict[str, Any]:
        """What changed from a plan of one run to a plan of the same or another one."""
        try:
            run = self._store.run(name)
            done = run.done_in(before) if name == other and after > before else ()
            found = difference(run.plan(before), self._store.run(other).plan(after), done)
            return {'lines': found.lines()}
        except RunUnreadable as error:
            raise NoSuchRun(str(error)) from error

    def picture(self, name: str, file: str) -> tuple[bytes, str]:
        """A picture of a run, and its media type."""
        return _picture(self._store.file(name, PICTURES, file))

    def _summary(self, name: str) -> Mapping[str, Any]:
        folder = self._store.folder(name)
        changed = tuple((folder / part).stat().st_mtime_ns if (folder / part).exists() else 0
                        for part in (RESULT, EVENTS))
        return {**_summary(folder, changed), 'at': _date(started(folder)[0])}


@lru_cache(maxsize=20_000)
def _summary(folder: Path, changed: tuple[int, ...]) -> Mapping[str, Any]:
    """A run in short; read again when its files have changed."""
    pictures = sorted(path.name for path in (folder / PICTURES).glob('*')
                      if path.suffix in KINDS)
    try:
        data = StoredRun.load(folder).data
        versions = [plan['version'] for plan in data.get('plans', ())]
        facts = {key: data[key] for key in FACTS if key in data}
        wrong = [key for key, value in facts.items() if isinstance(value, (Mapping, list))]
        if wrong or not all(type(version) is int for version in versions):
            raise TypeError(', '.join(wrong or ['plans']))
    except RunUnreadable as error:
        return {'task': '', 'unreadable': one_line(error, 300), 'pictures': pictures}
    except OTHER_VERSION as error:
        why = f'{folder / RESULT}: not the format of this version: {type(error).__name__}: {error}'
        return {'task': '', 'unreadable': one_line(why, 300), 'pictures': pictures}
    return {'task': str(data.get('task', '')), 'pictures': pictures, 'plans': versions,
            'complete': (folder / RESULT).is_file(), **facts, **_ended(data)}


def _date(stamp: str) -> str:
    """'2026-11-18 23:05' of '20261118-230512'; '' of anything else."""
    day, _, time = stamp.partition('-')
    return f'{day[:4]}-{day[4:6]}-{day[6:]} {time[:2]}:{time[2:4]}' if time else ''


def _ended(data: Mapping[str, Any]) -> dict[str, str]:
    end = data.get('final_reason')
    return {'ended': worded(str(end), FINAL_WORDS)} if end else {}


def _lines(file: Path) -> tuple[list[Mapping[str, Any]], str]:
    """The lines of a file as far as it is whole, and what is wrong after that; '' if nothing."""
    found: list[Mapping[str, Any]] = []
    if not file.is_file():
        return found, ''
    try:
        for _, line in json_lines(file):
            if len(found) >= MOST_EVENTS:
                return found, f'{file.name}: only its first {MOST_EVENTS} lines are shown'
            found.append(line)
    except RunUnreadable as error:
        return found, one_line(error, 300)
    return found, ''


def _camera(file: Path) -> dict[str, Any] | None:
    """How the pictures were taken, to draw into them; None if that is not known."""
    try:
        seen = json_file(file)
        K = np.array(seen['intrinsics'], float).reshape(3, 3)
        T_camera_base = np.linalg.inv(Pose.from_dict(seen['T_base_camera']).matrix())
        return {'projection': (K @ T_camera_base[:3]).tolist(),
                'size': [int(seen['width']), int(seen['height'])]}
    except (RunUnreadable, np.linalg.LinAlgError, *OTHER_VERSION):
        return None


def _picture(file: Path) -> tuple[bytes, str]:
    kind = KINDS.get(file.suffix.lower())
    try:
        if kind is None or not file.is_file() or file.stat().st_size > LARGEST_PICTURE:
            raise NoSuchRun(f'{one_line(file.name, 100)} is not a picture')
        return file.read_bytes(), kind
    except OSError as error:
        raise NoSuchRun(f'{one_line(file.name, 100)}: {reason(error)}') from error


class Gallery:
    """The failed episodes in the JSON file of a benchmark. Raises ConfigError for another file."""

    def __init__(self, file: Path | None) -> None:
        self._episodes: list[Mapping[str, Any]] = []
        self.name = file.name if file else ''
        if file is None:
            return
        content = read_json(file)
        found = content.get('episodes') if isinstance(content, dict) else None
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ConfigError(f'{file}: not the JSON file of a benchmark: it has no episodes')
        self._episodes = [one for one in found if not one.get('success')]
        self._folder = file.parent

    def listed(self) -> list[dict[str, Any]]:
        """Each failed episode; those with a picture say so."""
        keys = ('row', 'column', 'seed', 'thing', 'objection', 'claimed', 'final_reason',
                'final_detail')
        return [{'number': number, 'has_picture': bool(one.get('picture')),
                 **{key: one[key] for key in keys if key in one}, **_ended(one)}
                for number, one in enumerate(self._episodes)]

    def picture(self, number: int) -> tuple[bytes, str]:
        """The picture of an episode: beside the file, or where the benchmark wrote it."""
        if not 0 <= number < len(self._episodes) or not self._episodes[number].get('picture'):
            raise NoSuchRun('this episode has no picture')
        file = Path(str(self._episodes[number]['picture']))
        beside = (self._folder / file, self._folder / file.parent.name / file.name, file)
        return _picture(next((path for path in beside if path.is_file()), file))
