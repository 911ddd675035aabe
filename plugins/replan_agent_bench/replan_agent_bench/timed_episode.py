# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One task as an episode: timed, filmed, and the world left alone before it is judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.task_result import TaskResult

from .outcome import SETTLE_S, Job, machine


class Episode:
    """Times a job from when this is made: make it before the world."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._started, self._cpu_started = time.perf_counter(), time.process_time()
        self._times: dict[str, float] = {}

    def run(self, sim: Simulation, task: str, video: Path | None = None) -> TaskResult:
        """Run the task in the embedded world, and leave the world to settle."""
        world = sim.world
        with filmed(world, video):
            return self.run_in(lambda: sim.run(task), lambda: world.time,
                               lambda settle_s: world.step(round(settle_s / world.timestep)))

    def run_in(self, task: Callable[[], TaskResult], robot_time: Callable[[], float],
               advance: Callable[[float], object]) -> TaskResult:
        """The same in any world: how it runs a task, tells its time (s) and goes on for a while.
        """
        setup_s = time.perf_counter() - self._started
        result = task()
        self._times = {'robot_s': robot_time(), 'setup_s': setup_s,
                       'wall_s': time.perf_counter() - self._started,
                       'cpu_s': time.process_time() - self._cpu_started}
        advance(SETTLE_S)
        return result

    def fields(self, result: TaskResult, objection: str) -> dict[str, Any]:
        """What every `Outcome` says of the episode. `objection` is the judge's, '' if none."""
        return {'row': self._job.row, 'seed': self._job.seed, 'column': self._job.column,
                'success': not objection, 'objection': objection, 'claimed': result.success,
                'final_reason': result.final_reason.value, 'final_detail': result.final_detail,
                'machine': machine(), **self._times}
