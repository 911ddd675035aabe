# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recorded motion of a run: to be plotted, and if its world can be built, to be drawn."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from replan_agent_export.recorded_run import RecordedRun
from replan_agent_export.recorded_world import fresh_world, show

from replan_agent.app.build.twin import build_twin, twin_spec
from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError, WorkspaceConfig
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.record.motion_file import MOTION
from replan_agent.record.run_folder import as_json
from replan_agent.record.run_json import OTHER_VERSION, Json, RunUnreadable
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.scene.placement import Placed
from replan_agent.robot.mujoco.world import World
from replan_agent.text.shown_text import one_line
from replan_agent_page.serve.person import add_thing

from .solids import DIGITS, Solids, State

MOST_SAMPLES = 15_000  # ten minutes; of a longer run each second one, and so on
_building = threading.Lock()  # one world at a time, whoever asks


def motion_json(folder: Path) -> bytes:
    """The samples of a run, `solids` that they move if those are known, or why there are none."""
    file = folder / MOTION
    changed = file.stat().st_mtime_ns if file.is_file() else 0
    with _building:
        return _motion(folder, changed)


@lru_cache(maxsize=4)
def _motion(folder: Path, changed: int) -> bytes:
    try:
        run = RecordedRun.load(folder)
        samples = list(run.motion()) if run.has_motion else []
        samples = samples[::-(-len(samples) // MOST_SAMPLES) or 1]
        return as_json(_told(run, samples) if samples else {'samples': []}).encode()
    except (RunUnreadable, ConfigError, RehearsalError, *OTHER_VERSION) as error:
        return as_json({'samples': [], 'why': one_line(error, 300)}).encode()


def _told(run: RecordedRun, samples: list[MotionSample]) -> Json:
    """With the true world of a simulated run; otherwise with the arm and the table it saw."""
    try:
        with fresh_world(run, perception=GROUND_TRUTH) as sim:
            _bring(sim.world, run, samples[-1])
            return _moved(sim.world, samples, True, sim.config.workspace)
    except (RunUnreadable, KeyError):  # KeyError: its things have other names now
        seen = next((e['scene'] for e in run.events if e['event'] == 'scene_perceived'), None)
        if seen is None:
            return {'samples': list(map(_plotted, samples))}
        scene, arm = Scene.from_dict(seen), arm_named(str(run.fact('arm_model') or DEFAULT_ARM))
        bare = replace(scene, objects=tuple(filter(None, [scene.table])), held=None)
        return _moved(build_twin(bare, arm), [replace(one, objects={}) for one in samples], False)


def _bring(world: World, run: RecordedRun, last: MotionSample) -> None:
    """Add what a person added, as it was perceived. Raises KeyError if things are missing."""
    own = {placed.spec.name for placed in world.placed if not placed.spec.fixed}
    if not own <= set(last.objects):
        raise KeyError(f'no {", ".join(own - set(last.objects))} in {run.folder}')
    seen = {thing.name: thing for event in run.events if event['event'] == 'scene_perceived'
            for thing in Scene.from_dict(event['scene']).objects}
    for name in sorted(set(last.objects) - own):
        added = twin_spec(Scene('added', 0.0, (seen[name],), '')).objects[0]
        add_thing(world, Placed(added, seen[name].pose))


def _moved(world: World, samples: Sequence[MotionSample], is_true: bool,
           workspace: WorkspaceConfig | None = None) -> Json:
    def states() -> Iterator[tuple[Json, State]]:
        speeds, before_s, before = np.zeros(world.model.nv), 0.0, world.data.qpos.copy()
        for k, sample in enumerate(samples):
            show(world, sample)
            if k and sample.robot_s > before_s:
                mujoco.mj_differentiatePos(world.model, speeds, sample.robot_s - before_s, before,
                                           world.data.qpos)
            before_s, before = sample.robot_s, world.data.qpos.copy()
            motors = np.array(sample.forces) if sample.forces and is_true else None
            yield _plotted(sample), State(before, speeds.copy(), motors)

    solids = Solids(world, workspace)
    return {'solids': {**solids.shape, 'is_true': is_true}, 'samples': solids.along(states())}


def _plotted(sample: MotionSample) -> Json:
    return {'t': sample.robot_s, 'q': [round(angle, DIGITS) for angle in sample.joints],
            'w': round(sample.gripper_m, DIGITS), 'c': sample.gripper_command_m,
            'f': sample.forces}
