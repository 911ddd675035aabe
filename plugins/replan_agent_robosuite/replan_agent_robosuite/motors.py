"""What the motors of robosuite's Panda can do. It is slower than a real one.

Its rotors are heavy, and the air slows it down: in the air that robosuite simulates, the hand is a
box of 0.8 m, because its inertia is that of one. At 1.4 rad/s that takes all that joint 7 has.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.sampling import sample

EVERY_S = 0.03  # between the moments that are looked at
SHARE = 0.8  # of the motors' torque; the rest is for the controller
JOINTS = 7


class Motors:
    """The torques that a motion takes, from the arm's own model."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        self._data.qpos[:] = data.qpos
        self._most = SHARE * model.actuator_ctrlrange[:JOINTS, 1]

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
        model, data = self._model, self._data
        data.qpos[:JOINTS], data.qvel[:JOINTS] = q, 0
        for update in mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_crb, mujoco.mj_comVel:
            update(model, data)
        weight, whole, inertia = np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, weight)
        data.qvel[:JOINTS] = qd
        mujoco.mj_comVel(model, data)
        mujoco.mj_passive(model, data)
        mujoco.mj_rne(model, data, 0, whole)
        mujoco.mj_mulM(model, data, inertia, np.append(qdd, np.zeros(model.nv - JOINTS)))
        return weight[:JOINTS], (whole - weight + inertia - data.qfrc_passive)[:JOINTS]
