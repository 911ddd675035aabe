# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's environments. To make one takes seconds, so one that is free is used again."""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Any

import numpy as np

from replan_agent.robot.mujoco.gl import mujoco  # noqa: F401 first: it chooses the graphics library

from .robot_world import CONTROL_HZ, STIFFNESS, Started

ARM = 'right'

NEW_EACH_TIME = ('Lift',)  # robosuite draws the size of the cube when it makes the model

WATCHED = ('Wipe',)  # its rewards note what is wiped

_kept: dict[tuple[str, str], list[Any]] = defaultdict(list)


def started(name: str, robot: str, seed: int) -> Started:
    """An environment after robosuite's own random start. The seed alone decides that start."""
    kept = _kept[name, robot]
    env = kept.pop() if kept else _environment(name, robot, seed)
    env.rng.bit_generator.state = np.random.default_rng(seed).bit_generator.state
    env.reset()
    its = env.robots[0]
    its.part_controllers[ARM].ref_name = None  # no Jacobians: it works with joints
    gripper = its.gripper[ARM]
    return Started(env, gripper, float(gripper.speed), lambda target, closing, first: its.control(
        np.append(target, closing)[:its.action_dim], policy_step=first),
        lambda: _keep(name, robot, env), (lambda: env.reward()) if name in WATCHED else None)


def _keep(name: str, robot: str, env: Any) -> None:
    """Nobody uses this environment any more."""
    if name in NEW_EACH_TIME:
        env.close()
    else:
        _kept[name, robot].append(env)


def _environment(name: str, robot: str, seed: int) -> Any:
    logging.getLogger('robosuite_logs').setLevel(logging.ERROR)
    import robosuite
    from robosuite.controllers import load_composite_controller_config, load_part_controller_config

    control = load_composite_controller_config(robot=robot)
    control['body_parts'][ARM] = {
        **load_part_controller_config(default_controller='JOINT_POSITION'),
        'input_type': 'absolute', 'kp': STIFFNESS, 'gripper': {'type': 'GRIP'}}
    return robosuite.make(
        name, robots=robot, controller_configs=control, has_renderer=False,
        has_offscreen_renderer=False, use_camera_obs=False, use_object_obs=False,
        control_freq=CONTROL_HZ, ignore_done=True, hard_reset=False, seed=seed)
