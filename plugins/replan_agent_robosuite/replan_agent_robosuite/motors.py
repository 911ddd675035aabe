# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the motors of robosuite's arms can do. They are slower than real ones.

Their rotors are heavy, and the air slows them down: in the air that robosuite simulates, the
Panda's hand is a box of 0.8 m, because its inertia is that of one. At 1.4 rad/s that takes all
that its joint 7 has.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.sampling import sample

from .robot_world import RobotWorld

EVERY_S = 0.03  # between the moments that are looked at
SHARE = 0.8  # of the motors' torque; the rest is for the controller


class Motors:
    """The torques that a motion takes, from the arm's own model."""

    def __init__(self, world: RobotWorld) -> None:
        self._model, self._data = world.model, mujoco.MjData(world.model)
        self._data.qpos[:] = world.data.qpos
        self._q, self._v = world.q, world.v
        self._most = SHARE * world.model.actuator_ctrlrange[world.u, 1]

    def slowed(self, trajectory: JointTrajectory) -> JointTrajectory:
        """The same motion, as much slower as the motors need it.

        Inertia and air both take a torque that shrinks with the square of the time. Weight stays.
        """
        moments = np.append(np.arange(0.0, trajectory.duration, EVERY_S), trajectory.duration)
        square = 1.0
        for q, qd, qdd in zip(*sample(trajectory, moments)):
            weight, motion = self._torques(q, qd, qdd)
            left = np.maximum(self._most - np.sign(motion) * weight, 0.1 * self._most)
            square = max(square, float(np.max(np.abs(motion) / left)))
        slower = square ** 0.5
        return replace(trajectory, times=trajectory.times * slower,
                       velocities=trajectory.velocities / slower,
                       accelerations=trajectory.accelerations / square)

    def _torques(self, q: np.ndarray, qd: np.ndarray,
                 qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What holds the arm, and what moves it (N·m)."""
        model, data, v = self._model, self._data, self._v
        data.qpos[self._q], data.qvel[v] = q, 0
        for update in mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_crb, mujoco.mj_comVel:
            update(model, data)
        weight, whole, inertia, speeding = np.zeros((4, model.nv))
        mujoco.mj_rne(model, data, 0, weight)
        data.qvel[v], speeding[v] = qd, qdd
        mujoco.mj_comVel(model, data)
        mujoco.mj_passive(model, data)
        mujoco.mj_rne(model, data, 0, whole)
        mujoco.mj_mulM(model, data, inertia, speeding)
        return weight[v], (whole - weight + inertia - data.qfrc_passive)[v]
