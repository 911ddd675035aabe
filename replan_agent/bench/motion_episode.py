"""One randomised episode: a fresh world, the whole agent, and a judge that asks the physics."""

from __future__ import annotations

import math
import platform
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from replan_agent.app.build.compose import Simulation, simulation
from replan_agent.app.build.versions import versions
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.config import Config
from replan_agent.domain.event import ScenePerceived
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.recorders import MemoryRecorder

from .judges import Truth
from .outcome import Disturbed, Failed, Outcome
from .rows import Case, find_row
from .watch import Watch

SETTLE_S = 1.0  # the world is left alone for this long before it is judged
MOVED_M = 0.005  # less than this is not a disturbance
CRASHED = 'crashed'


@dataclass(frozen=True)
class Job:
    """An episode to run. It travels to another process as these two words."""

    row: str
    seed: int


def run_job(config: Config, job: Job) -> Outcome:
    """The outcome of an episode; one that raises is an outcome too, `crashed` with the error."""
    try:
        return run_episode(config, job)
    except Exception as error:  # noqa: BLE001 the process's edge: the other episodes go on
        return Outcome(job.row, job.seed, False, 'no verdict', False, CRASHED, crash(error),
                       machine=machine())


def crash(error: Exception) -> str:
    """What was raised, and where."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f'{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})'


def run_episode(config: Config, job: Job, video: Path | None = None) -> Outcome:
    """Run the job with the whole agent, watch it and judge it; `video` films it.

    Wall time includes building the world; what watching costs is taken out again.
    """
    row = find_row(job.row)
    case = row.case(job.seed)
    started, cpu_started = time.perf_counter(), time.process_time()
    config = replace(config, perception=row.perception)
    sim = simulation(config, row.scene(case), job.seed)
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
    return replace(outcome, robot_s=robot_s, setup_s=setup_s, wall_s=wall_s, cpu_s=cpu_s,
                   pushed_m=pushing.moved_m if pushing else 0.0,
                   seen_off_m=_seen_off(recorder, before, case.intended.target))


def _seen_off(recorder: MemoryRecorder, before: Sequence[SceneObject],
              target: str) -> float | None:
    """How far from its place the target was seen at first; None when not under its name."""
    scenes = (e.scene for e in recorder.events if isinstance(e, ScenePerceived))
    first = next(scenes, None)
    seen = first.get(target) if first else None
    true = next(thing for thing in before if thing.name == target)
    return math.dist(seen.position, true.position) if seen else None


def _judged(job: Job, case: Case, sim: Simulation, result: TaskResult, watch: Watch,
            before: Sequence[SceneObject]) -> Outcome:
    objection = case.judge(Truth(sim.world))
    return Outcome(
        row=job.row, seed=job.seed, success=not objection, objection=objection,
        claimed=result.success, final_reason=result.final_reason.value,
        final_detail=result.final_detail, replans=result.replans,
        attempts=tuple(Failed(a.skill, a.reason, a.reason_detail) for a in result.attempts),
        contacts=watch.contacts,
        disturbed=disturbed(before, sim.world.true_objects(), case.intended.target),
        peak_speed=watch.peak_speed, machine=machine())


def disturbed(before: Sequence[SceneObject], after: Sequence[SceneObject],
              target: str) -> tuple[Disturbed, ...]:
    """Everything but the target whose centre moved by more than MOVED_M."""
    moves = ((then.name, math.dist(then.position, now.position))
             for then, now in zip(before, after))
    return tuple(Disturbed(name, moved) for name, moved in moves
                 if name != target and moved > MOVED_M)


@cache
def machine() -> str:
    """Where an episode ran, and with what its numbers may vary."""
    found = versions()
    return f'{platform.node()} {found["machine"]}, python {found["python"]}, ' + ', '.join(
        f'{name} {found[name]}' for name in ('mujoco', 'numpy', 'scipy') if name in found)
