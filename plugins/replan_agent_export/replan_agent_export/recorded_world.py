# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated world of a recorded run, as it was when the run began."""

from __future__ import annotations

from pathlib import Path

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.plugins import installed_names
from replan_agent.domain.config import Config, ConfigError, build
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.record.run_json import RunUnreadable
from replan_agent.record.versions import versions
from replan_agent.robot.mujoco.mjcf.arm_mjcf import finger_positions
from replan_agent.robot.mujoco.world import World
from replan_agent.text.file_bytes import exists

from .recorded_run import RecordedRun

# Nothing is planned or approved again, and no memory of failures is touched.
NOT_NEEDED = {'planner': 'search', 'approver': 'none'}


def fresh_world(run: RecordedRun, **instead: str) -> Simulation:
    """The run's scene, seed and settings in a new world. Raises RunUnreadable if it cannot be.

    `instead` are settings that replace those of the run.
    """
    settings, seed = run.fact('settings'), run.fact('seed')
    if run.fact('robot') != 'mujoco' or not isinstance(settings, dict) or type(seed) is not int:
        raise RunUnreadable(f'{run.folder}: not a run of the embedded simulation, so its world '
                            'cannot be built again')
    agent = settings.get('agent')
    wanted = {**settings, **NOT_NEEDED, **instead,
              'agent': {**(agent if isinstance(agent, dict) else {}), 'memory': ''}}
    try:
        config = build(Config, wanted, f'{run.folder}: settings', installed_names)
        return Simulation(_scene(run), config=config, seed=seed)
    except ConfigError as error:
        raise RunUnreadable(f'{run.folder}: its world cannot be built: {error}') from error


def other_versions(run: RecordedRun) -> list[str]:
    """What differs between the software then and now: `numpy: 1.26.4 then, 2.4.6 now`."""
    then, now = run.fact('versions'), versions()
    if not isinstance(then, dict):
        return ['the run does not say with which versions it was recorded']
    return [f'{name}: {then.get(name, "none")} then, {now.get(name, "none")} now'
            for name in sorted({*then, *now}) if then.get(name) != now.get(name)]


def _scene(run: RecordedRun) -> str:
    file, name = run.fact('scene_file'), run.fact('scene')
    if file and not exists(Path(str(file))):
        raise RunUnreadable(f'{run.folder}: its scene file {file} is gone')
    return str(file or name)


def show(world: World, sample: MotionSample) -> None:
    """Put arm and things where the sample says, to draw them. The physics cannot go on there."""
    n, qpos = world.arm.joint_count, world.data.qpos
    qpos[:n] = sample.joints
    for joint, value in finger_positions(world.arm, sample.gripper_m).items():
        world.data.joint(joint).qpos = value
    for name, numbers in sample.objects.items():
        world.data.joint(name).qpos = numbers
