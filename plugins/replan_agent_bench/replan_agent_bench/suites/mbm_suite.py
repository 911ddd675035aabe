# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MotionBenchMaker: joint motions through shelves, boxes and cages that others made up."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from replan_agent.app.build.build_planner import MotionParts, build_motion
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import JointPlanner
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent_bench.outcome import CRASHED, Job, Outcome, machine
from replan_agent_bench.stats import percentile
from replan_agent_bench.suite import Cell, Panel, Suite
from replan_agent_bench.worlds.mbm_problems import HOW_TO_GET, PANDA, load_problem
from replan_agent_bench.worlds.vamp_paths import vamp_path

from .cells import percent

JUDGED_EVERY = 0.005  # rad; the judge checks twice as finely as the planner
PROBLEMS = 100  # of each kind of scene
CLEARANCE_M = 0.001
ROOM_M = 5.0  # on every side of the base
PLANNING_S = 10.0  # wall time at most
TOUCH_M = -0.0005  # what a part may be inside another between two checks of the planner
NOT_FEASIBLE = (Reason.BAD_ARGUMENTS, Reason.IN_COLLISION)  # of the start or the goal alone


@dataclass(frozen=True)
class MbmRow:
    """A kind of scene. Seed 0 is its first problem."""

    name: str
    title: str
    episodes: int = PROBLEMS
    bar: float | None = None


ROWS = (MbmRow('bookshelf_small', 'small bookshelf'), MbmRow('bookshelf_tall', 'tall bookshelf'),
        MbmRow('bookshelf_thin', 'thin bookshelf'), MbmRow('box', 'box'), MbmRow('cage', 'cage'),
        MbmRow('table_pick', 'table, from above'),
        MbmRow('table_under_pick', 'table, from below'))


@dataclass(frozen=True)
class MbmOutcome(Outcome):
    """`plan_s` is CPU time of the whole motion: search, smoothing, timing, checks.

    A length is nan without a path. VAMP's numbers are nan if it is not installed.
    """

    feasible: bool = True
    plan_s: float = 0.0
    length_rad: float = math.nan
    motion_s: float = math.nan
    vamp_rad: float = math.nan
    vamp_s: float = math.nan


@dataclass(frozen=True)
class MbmNumbers:
    """Times are of the solved problems. Lengths are means over those that VAMP solved too."""

    feasible: int
    solved: int
    median_ms: float
    p95_ms: float
    length_rad: float
    vamp_rad: float
    vamp_median_ms: float

    @property
    def share(self) -> float:
        return self.solved / self.feasible if self.feasible else math.nan


def run_problem(config: Config, job: Job, video: Path | None = None) -> list[MbmOutcome]:
    """The outcome of one problem."""
    assert job.problems is not None
    problem = load_problem(job.problems, job.row, job.seed + 1)
    request = MotionRequest(problem.scene, gripper_width=problem.gripper_width)
    planner = _planner(config)
    assert planner.collision is not None
    started = time.perf_counter()
    planner.collision.use(request)  # builds the model of a new scene
    setup_s, cpu = time.perf_counter() - started, time.process_time()
    found = planner.to_joints(problem.start, problem.goal, request, Context())
    plan_s, motion = time.process_time() - cpu, found.trajectory
    objection = found.detail if motion is None else _touches(motion, request)
    theirs = vamp_path(problem, job.row) or (math.nan, math.nan)
    return [MbmOutcome(
        job.row, job.seed, not objection, objection, motion is not None,
        found.reason.value if found.reason else 'done', found.detail, job.column, 0.0, setup_s,
        time.perf_counter() - started, plan_s, machine(), found.reason not in NOT_FEASIBLE,
        plan_s, math.nan if motion is None else _length(motion.positions),
        math.nan if motion is None else motion.duration, *theirs)]


@cache
def _planner(config: Config) -> JointPlanner:
    """The motion planner of the settings, in a workspace that the arm cannot leave."""
    motion = replace(config.motion, collision_clearance=CLEARANCE_M,
                     allowed_planning_time=PLANNING_S)
    edges = {f'{axis}_{end}': way * ROOM_M
             for axis in 'xyz' for end, way in (('min', -1), ('max', 1))}
    return build_motion(MotionParts(
        replace(config, motion=motion, robot=replace(config.robot, model=PANDA),
                workspace=replace(config.workspace, **edges, keep_out=())),
        MujocoCollisionChecker(arm_named(PANDA))))


def _touches(motion: JointTrajectory, request: MotionRequest) -> str:
    """What the motion touches, seen by a checker of its own; '' if nothing."""
    checker = MujocoCollisionChecker(arm_named(PANDA))
    checker.use(request)
    for a, b in zip(motion.positions, motion.positions[1:]):
        steps = max(1, math.ceil(float(np.abs(b - a).max()) / JUDGED_EVERY))
        for k in range(steps):
            contact = checker.first_contact(a + (b - a) * (k / steps))
            if contact is not None and contact.distance_m < TOUCH_M:
                return str(contact)
    return ''


def _length(joints: FloatArray) -> float:
    return float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())


def numbers(outcomes: Sequence[MbmOutcome]) -> MbmNumbers:
    solved = [o for o in outcomes if o.success]
    both = [o for o in solved if not math.isnan(o.vamp_rad)]
    times = [1000 * o.plan_s for o in solved] or [math.nan]
    return MbmNumbers(
        sum(o.feasible for o in outcomes), len(solved), percentile(times, 50),
        percentile(times, 95), _mean([o.length_rad for o in both or solved]),
        _mean([o.vamp_rad for o in both]),
        percentile([1000 * o.vamp_s for o in both] or [math.nan], 50))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def flaws(outcome: MbmOutcome) -> list[str]:
    if outcome.success or not outcome.feasible:
        return []
    if outcome.final_reason == CRASHED:
        return [outcome.final_detail]
    return [outcome.objection, f'after {outcome.plan_s:.2f} s of CPU time']


def notes(outcomes: Sequence[MbmOutcome]) -> list[str]:
    """Why problems are not feasible: the rows, and how many."""
    bad = Counter((o.row, o.final_reason) for o in outcomes if not o.feasible)
    if not bad:
        return []
    named = ', '.join(f'{row} {count} ({reason})' for (row, reason), count in bad.items())
    return [f'not feasible in our model, so not counted: {named}']


def check(jobs: Sequence[Job]) -> None:
    """Raise ConfigError if the file is missing, or has no such problem."""
    for job in jobs:
        if job.problems is None:
            raise ConfigError(f'the suite mbm needs --problems FILE; to get it: {HOW_TO_GET}')
        if job.seed >= PROBLEMS or job is jobs[0]:
            load_problem(job.problems, job.row, job.seed + 1)


def _number(value: float, digits: int) -> str:
    return '–' if math.isnan(value) else f'{value:.{digits}f}'


MBM: Suite[MbmRow, MbmOutcome, MbmNumbers] = Suite(
    'mbm', 'joint motions of MotionBenchMaker, 1 mm of clearance', ROWS, MbmOutcome, run_problem,
    numbers, flaws,
    cells=(
        Cell('feasible', 'start and goal are within the limits and touch nothing',
             lambda s: str(s.own.feasible)),
        Cell('solved', '', lambda s: str(s.own.solved)),
        Cell('%', 'solved of feasible', lambda s: percent(s.own.share)),
        Cell('ms', 'CPU time of a motion with all checks, median and 95th percentile',
             lambda s: _number(s.own.median_ms, 1)),
        Cell('p95', '', lambda s: _number(s.own.p95_ms, 0)),
        Cell('rad', 'mean path length', lambda s: _number(s.own.length_rad, 2)),
        Cell('VAMP', "mean length of VAMP's paths, rad", lambda s: _number(s.own.vamp_rad, 2)),
        Cell('its ms', '', lambda s: _number(s.own.vamp_median_ms, 3))),
    panels=(Panel('solved of feasible, %', lambda s: 100 * s.own.share, zoomed=True, high=100.5),
            Panel('CPU time, ms, median', lambda s: s.own.median_ms)),
    row_heading='scene', filmed=None, over_all='all', notes=notes, check=check,
    problems=True)
