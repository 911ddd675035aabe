# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Takes orders for the arm: one task at a time, in a thread of its own, with a stop that lasts."""

from __future__ import annotations

import shlex
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import CancelToken, Context
from replan_agent.record.run_folder import new_run_path
from replan_agent.text.file_bytes import reason
from replan_agent.text.shown_text import one_line

from .station import Look, Order, Station, TaskRefused
from .stop_file import StopFile

STOPPED = 'STOPPED'  # the file of the stop latch, in the folder of the runs
RECENT = 20  # messages that a status shows
MOST_JOBS = 50  # that are remembered; the records of older ones stay on disk
CLOSE_S = 20.0
T = TypeVar('T')


class Busy(TaskRefused):
    """Another task is running."""


class Job:
    """One task that was ordered: how far it is, and how it ended."""

    def __init__(self, order: Order, folder: Path) -> None:
        self.order, self.folder = order, folder
        self.progress: Progress | None = None
        self.recent: deque[str] = deque(maxlen=RECENT)
        self.count = 0  # of messages so far
        self.result: Mapping[str, Any] | None = None  # as in result.json
        self.problem = ''  # why there is no result
        self.token = CancelToken()
        self.done = threading.Event()

    @property
    def name(self) -> str:
        return self.folder.name

    def note(self, progress: Progress) -> None:
        """Keep what is said about it; called from the thread of the task."""
        self.progress = progress
        if progress.message and progress.message != progress.state.value:
            self.recent.append(one_line(progress.message, 300))
            self.count += 1


class Desk:
    """The only way to the arm for all clients of a server. `label` is in the names of its runs."""

    def __init__(self, station: Station, runs: Path, label: str = 'run') -> None:
        self.station, self.runs, self._label = station, runs, label
        self._latch = StopFile(runs / STOPPED)
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(1, 'arm')  # all that touches the arm is in one thread
        self._jobs: dict[str, Job] = {}
        self._last_look: Look | None = None
        self.on_change: Callable[[], None] = lambda: None  # a task ended, a stop began or ended

    def start(self, order: Order) -> Job:
        """Start a task. Raises Busy, or TaskRefused if nothing may move."""
        with self._lock:
            running = self.running
            if running is not None:
                raise _busy(running)
            refusal = self.refusal()
            if refusal:
                raise TaskRefused(refusal)
            job = Job(order, self._new_path())
            self._jobs[job.name] = job
            while len(self._jobs) > MOST_JOBS:
                del self._jobs[next(iter(self._jobs))]
        self._worker.submit(self._carry_out, job)
        return job

    def _new_path(self) -> Path:
        """A folder that no job had, also none whose folder was empty and is gone."""
        had = []
        while (path := new_run_path(self.runs, self._label)).name in self._jobs:
            had.append(path)
        for gone in had:
            _remove_empty(gone)
        return path

    @property
    def running(self) -> Job | None:
        return next((job for job in self.jobs() if not job.done.is_set()), None)

    def job(self, name: str = '') -> Job | None:
        """A job of this server by the name of its run; '' is the last one."""
        jobs = self.jobs()
        return self._jobs.get(name) if name else jobs[-1] if jobs else None

    def jobs(self) -> tuple[Job, ...]:
        """What was said to this server, the last one last."""
        return tuple(self._jobs.values())

    def look(self) -> tuple[Look, bool]:
        """What is seen, and whether it was seen now: a running task lets nobody else look."""
        try:
            self._last_look = self.between_tasks(self.station.look)
        except Busy:
            if self._last_look is None:
                raise Busy('busy: a task is running, and nothing was seen before it') from None
            return self._last_look, False
        return self._last_look, True

    def between_tasks(self, call: Callable[[], T]) -> T:
        """What a call gives that may only be made while no task runs. Raises Busy."""
        with self._lock:
            if self.running is not None:
                raise _busy(self.running)
            waiting = self._worker.submit(call)
        return waiting.result()

    def stop(self, reason: str) -> tuple[Job | None, str]:
        """Latch, and end the running task. Returns the task, and what went wrong with the stop."""
        unwritten = self._latch.engage(reason)
        with self._lock:  # a task that starts now has seen the latch, or is running
            running = self.running
        if running is not None:
            running.token.cancel(f'stopped: {reason}')
        self.on_change()
        return running, '; '.join(filter(None, (unwritten, self.station.stop())))

    def refusal(self) -> str:
        """Why nothing may move; '' if motion is allowed."""
        why = self.stopped
        folder = shlex.quote(str(self.runs.absolute()))
        return (f'{why}; a person allows motion again with: '
                f'{self.station.reset_command} --runs {folder}') if why else ''

    @property
    def stopped(self) -> str:
        """Who stopped the arm; '' if motion is allowed."""
        why = self._latch.reason()
        return f'stopped: {why}' if why else ''

    def reset(self) -> str:
        """Allow motion again; returns what happened. Raises TaskRefused if the arm cannot."""
        said = self.station.reset()
        why = _released(self._latch)
        self.on_change()
        return '; '.join(filter(None, (why, said)))

    def end_task(self) -> Job | None:
        """Let the arm stop, because the server ends; does not wait for it. Returns the task."""
        running = self.running
        if running is not None:
            running.token.cancel('the server ends')
        return running

    def close(self) -> None:
        """End the running task, wait until the arm stands still, and free the station."""
        running = self.end_task()
        if running is not None:
            running.done.wait(CLOSE_S)
        self._worker.submit(self.station.close)
        self._worker.shutdown(wait=running is None or running.done.is_set())

    def _carry_out(self, job: Job) -> None:
        try:
            job.result = self.station.run(job.order, job.folder, job.note, Context(job.token))
            if 'success' not in job.result:  # a reply: nothing was done, and nothing is recorded
                _remove_empty(job.folder)
        except TaskRefused as error:
            job.problem = str(error)
        except Exception as error:  # noqa: BLE001 the edge of the thread: a bug ends this task only
            print(traceback.format_exc(), file=sys.stderr)
            job.problem = f'internal error: {one_line(error)}'
        finally:
            job.done.set()
            self.on_change()


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it is not empty
        folder.rmdir()


def released(runs: Path) -> str:
    """Allow motion again, as a person at the command line may; returns what happened.

    Raises TaskRefused.
    """
    return _released(StopFile(runs / STOPPED))


def _released(latch: StopFile) -> str:
    try:
        why = latch.release()
    except OSError as error:
        raise TaskRefused(f'{latch.path}: cannot be removed: {reason(error)}') from error
    return f'released; it was stopped: {why}' if why else 'was not stopped'


def _busy(running: Job) -> Busy:
    return Busy(f'busy: the arm carries out {running.order.task!r} (run {running.name}); wait for '
                'its end, or stop it')
