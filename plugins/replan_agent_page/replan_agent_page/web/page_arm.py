# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arm behind the page: what the page needs of it, in simulation and over ROS."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from replan_agent.domain.skill import SkillSpec
from replan_agent_page.serve.desk import Desk, Job
from replan_agent_page.serve.said import ASKS, SAID
from replan_agent_page.serve.station import Look, Station

from .live_picture import LivePicture
from .page_questions import Answer, Question

MOST_SAID = 20  # that a page shows


class Asked(Protocol):
    """Questions to people. At most one is open."""

    @property
    def open(self) -> Question | None: ...

    def give(self, number: int, answer: Answer) -> bool:
        """Whether the answer counts. Raises TaskRefused if it cannot be passed on."""


class WatchedStation(Station, Protocol):
    """A station that people watch."""

    live: LivePicture
    motion: LivePicture | None  # where all is, for browsers that draw it; None: not known

    def solids(self) -> bytes:
        """What there is to draw, as JSON; b'' if that is not known."""

    def planned(self, number: int) -> bytes:
        """How the plan of the question of that number would move, as JSON; b'': not known."""

    def end(self) -> None:
        """End what waits for something new: the server ends."""

    @property
    def questions(self) -> Asked: ...

    @property
    def options(self) -> dict[str, Any]:
        """What can be chosen at the page, by name; {} if nothing can."""

    @property
    def world(self) -> dict[str, Any]:
        """What everybody should know about the world, and who approves."""

    @property
    def camera(self) -> dict[str, Any] | None:
        """How to draw into the live pictures; None if there are none."""

    @property
    def elsewhere(self) -> str:
        """The task that runs but was not given here; '' if there is none."""


class AroundStation:
    """A station with pictures around another one, which does what is the same for every arm."""

    _inner: Station
    live: LivePicture
    motion: LivePicture | None = None

    def solids(self) -> bytes:
        return b''

    def planned(self, number: int) -> bytes:
        return b''

    def end(self) -> None:
        for live in filter(None, (self.live, self.motion)):
            live.ended = True

    def look(self) -> Look:
        return self._inner.look()

    def skills(self) -> tuple[SkillSpec, ...]:
        return self._inner.skills()

    def stop(self) -> str:
        return self._inner.stop()

    def reset(self) -> str:
        return self._inner.reset()

    def close(self) -> None:
        try:
            for live in filter(None, (self.live, self.motion)):
                live.close()
        finally:
            self._inner.close()


def record_of(job: Job | None) -> str:
    """The name of the run with the record of a job; '' without a job.

    Over ROS that of the agent may take the place of ours.
    """
    if job is None:
        return ''
    theirs = Path(str((job.result or {}).get('run_folder') or '')).name
    return theirs if theirs and not job.folder.is_dir() else job.name


class Arm:
    """The arm behind the page."""

    def __init__(self, desk: Desk, station: WatchedStation) -> None:
        self.desk, self.station = desk, station

    def status(self) -> dict[str, Any]:
        """What everybody sees beside the events: the world, the question, the stop."""
        station, running = self.station, self.desk.running
        question, last = station.questions.open, self.desk.job()
        return {
            'world': station.world, 'camera': station.camera, 'no_picture': station.live.problem,
            'solid': station.motion is not None,
            'running': running.name if running else '',
            'task': running.order.task if running else '', 'elsewhere': station.elsewhere,
            'talk': [_exchange(job) for job in self.desk.jobs()[-MOST_SAID:]],
            'problem': _problem(last) if last and last is not running else '',
            'stopped': self.desk.stopped, 'question': question.as_dict() if question else None,
        }


def _exchange(job: Job) -> dict[str, Any]:
    """What a person said, what was answered, and whether that is a question."""
    result = job.result or {}
    return {'said': job.order.task, 'reply': str(result.get(SAID, '')) or job.problem,
            'asks': bool(result.get(ASKS)), 'success': result.get('success'),
            'ended': job.done.is_set()}


def _problem(job: Job) -> str:
    """What a person must know of a task that ended, beside its events; '' if nothing."""
    lost = (job.result or {}).get('not_recorded')
    return job.problem or (f'the run was not recorded as a whole: {lost}' if lost else '')
