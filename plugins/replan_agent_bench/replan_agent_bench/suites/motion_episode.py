# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One randomised episode: a fresh world, the whole agent, and a judge that reads the physics."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.domain.event import ScenePerceived
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.task_result import TaskResult
from replan_agent.motion.planner import JointPlanner
from replan_agent.record.recorders import MemoryRecorder
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.worlds.judges import Truth
from replan_agent_bench.worlds.space import Space
from replan_agent_bench.worlds.watch import Contact, Watch

from .motion_rows import Case, find_row

MOVED_M = 0.005  # less than this is not a disturbance


@dataclass(frozen=True)
class Disturbed:
    """An object that moved although the task does not mention it."""

    name: str
    distance_m: float


@dataclass(frozen=True)
class Failed:
    """One failed attempt of the agent, as the planner gets it."""

    skill: str
    reason: str
    detail: str


@dataclass(frozen=True)
class MotionOutcome(Outcome):
    """`peak_speed` is the highest simulated joint speed as a share of that joint's limit.

    `peak_acceleration` is the same of its acceleration, where no contact stops it.

    `pushed_m` is how far the row's push, if it has one, moved the object. `seen_off_m` is the
    distance of the target in the first scene from its true place. It is None if the first scene
    has no object with that name.
    """

    replans: int = 0
    attempts: tuple[Failed, ...] = ()
    contacts: tuple[Contact, ...] = ()
    disturbed: tuple[Disturbed, ...] = ()
    peak_speed: float = 0.0
    peak_acceleration: float = 0.0
    pushed_m: float = 0.0
    seen_off_m: float | None = None

    @property
    def realtime(self) -> float:
        """Robot seconds per wall second."""
        return self.robot_s / self.wall_s if self.wall_s else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), 'realtime': self.realtime}


def run_motion(config: Config, job: Job, video: Path | None = None,
               motion: JointPlanner | None = None) -> list[MotionOutcome]:
    """Run the job with the whole agent, watch it and judge it; `video` films it.

    `motion` plans the motions instead of the built-in planner. Wall time includes building the
    world, but not the cost of watching.
    """
    row = find_row(job.row)
    space = Space.of(arm_named(config.robot.model))
    case = row.case(job.seed, space)
    started, cpu_started = time.perf_counter(), time.process_time()
    config = replace(config, perception=row.perception)
    sim = Simulation(row.scene(case, space), config=config, seed=job.seed, motion=motion)
    setup_s = time.perf_counter() - started
    before = sim.world.true_objects()
    watch = Watch(sim.world, case.intended)
    pushing = case.push.begin(sim.world) if case.push else None
    with filmed(sim.world, video):
        recorder = MemoryRecorder()
        result = sim.agent(recorder).run(case.task)
        wall_s = time.perf_counter() - started - watch.spent_s
        cpu_s, robot_s = time.process_time() - cpu_started, sim.world.time
        sim.world.step(round(SETTLE_S / sim.world.timestep))
    watch.end()
    outcome = _judged(job, case, sim, result, watch, before)
    return [replace(outcome, robot_s=robot_s, setup_s=setup_s, wall_s=wall_s, cpu_s=cpu_s,
                    pushed_m=pushing.moved_m if pushing else 0.0,
                    seen_off_m=_seen_off(recorder, before, case.intended.target))]


def _seen_off(recorder: MemoryRecorder, before: Sequence[SceneObject],
              target: str) -> float | None:
    """Distance (m) of the target in the first scene from its true place; None if not found."""
    scenes = (e.scene for e in recorder.events if isinstance(e, ScenePerceived))
    first = next(scenes, None)
    seen = first.get(target) if first else None
    true = next(thing for thing in before if thing.name == target)
    return math.dist(seen.position, true.position) if seen else None


def _judged(job: Job, case: Case, sim: Simulation, result: TaskResult, watch: Watch,
            before: Sequence[SceneObject]) -> MotionOutcome:
    objection = case.judge(Truth(sim.world))
    return MotionOutcome(
        row=job.row, seed=job.seed, success=not objection, objection=objection,
        claimed=result.success, final_reason=result.final_reason.value,
        final_detail=result.final_detail, replans=result.replans,
        attempts=tuple(Failed(a.skill, a.reason, a.reason_detail) for a in result.attempts),
        contacts=watch.contacts,
        disturbed=disturbed(before, sim.world.true_objects(), case.intended.target),
        peak_speed=watch.peak_speed, peak_acceleration=watch.peak_acceleration,
        machine=machine())


def disturbed(before: Sequence[SceneObject], after: Sequence[SceneObject],
              target: str) -> tuple[Disturbed, ...]:
    """The objects except the target that moved by more than MOVED_M."""
    moves = ((then.name, math.dist(then.position, now.position))
             for then, now in zip(before, after))
    return tuple(Disturbed(name, moved) for name, moved in moves
                 if name != target and moved > MOVED_M)
