# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robosuite environment that is stepped with joint positions: physics, time, readings.

It works with robosuite 1.4 and 1.5: what differs between them is in `Started`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.robot.contact import share_of_new
from replan_agent.robot.mujoco.gl import mujoco  # first: it chooses the graphics library

CONTROL_HZ = 100
JUDGED_HZ = 20  # how often policies act
STIFFNESS = 150.0  # kp of robosuite's joint position controller, 1/s²
DAMPING = 2 * STIFFNESS**0.5  # its kd: critical
SETTLE_S = 0.5  # the things drop a little at the start


@dataclass(frozen=True)
class Started:
    """An environment at the start of an episode, and how its version of robosuite is driven.

    `control` gets the target of the joints, how the gripper moves (1 close, -1 open, 0 stay) and
    whether a control period begins; then one step of physics follows. `gripper_step` is how far
    the gripper goes in a period, of a way of 2. `give_back`: nobody uses it any more. `watch`: the
    judge looks, as often as at a policy.
    """

    env: Any
    gripper: Any
    gripper_step: float
    control: Callable[[np.ndarray, float, bool], None]
    give_back: Callable[[], None]
    watch: Callable[[], object] | None = None


class RobotWorld:
    """robosuite's own physics, controller and random start. Nothing in it is changed.

    Time stands still unless `advance` is called. Positions are in the arm's base frame. `q`, `v`
    and `u` are the numbers of the arm's joints in qpos, in qvel and among the motors.
    """

    def __init__(self, started: Started, arm: ArmModel) -> None:
        self._started, self.env, self.arm = started, started.env, arm
        self.gripper, self.gripper_step = started.gripper, started.gripper_step
        self.model, self.data = self.env.sim.model._model, self.env.sim.data._data
        self.period = 1.0 / CONTROL_HZ
        self._steps, self._closed = 0, False
        names = self.env.robots[0].robot_joints[-arm.joint_count:]
        joints = [self.model.joint(name).id for name in names]
        self.q, self.v = self.model.jnt_qposadr[joints], self.model.jnt_dofadr[joints]
        self.u = np.array([self.motor_of(name) for name in names])
        self._own = slice(-arm.joint_count, None)
        self._target = np.array(self.env.robots[0]._joint_positions)
        self.T_world_base = self._base(int(self.model.jnt_bodyid[joints[0]]))
        self._felt = np.zeros(arm.joint_count)
        for _ in range(round(SETTLE_S * CONTROL_HZ)):
            self.advance()
        self._steps = 0

    @property
    def time(self) -> float:
        """Robot time (s) since the things came to rest."""
        return self._steps * self.period

    @property
    def joints(self) -> np.ndarray:
        return np.asarray(self.data.qpos[self.q])

    @property
    def speeds(self) -> np.ndarray:
        return np.asarray(self.data.qvel[self.v])

    @property
    def felt(self) -> np.ndarray:
        """The external torque (N·m): inverse dynamics of the arm minus the motors' torque."""
        return self._felt

    @property
    def start_joints(self) -> np.ndarray:
        """robosuite's start posture, without its noise."""
        return np.array(self.env.robots[0].init_qpos)[self._own]

    @property
    def closing(self) -> np.ndarray:
        """The direction (world) in which the fingers close."""
        return np.asarray((self.T_world_base @ self.arm.kinematics.forward(self.joints))[:3, 1])

    def aim(self, joints: np.ndarray) -> None:
        """Set the target of the joint position controller."""
        self._target[self._own] = joints

    def advance(self, closing: float = 0.0) -> None:
        """One control period. `closing` moves the gripper: 1 close, -1 open, 0 as it is.

        This is robosuite's own step without what nobody reads: its observations and rewards.
        """
        before, motor = self.data.qvel.copy(), np.zeros(len(self.v))
        steps = round(self.period / self.env.model_timestep)
        for k in range(steps):
            mujoco.mj_step1(self.model, self.data)
            self._started.control(self._target, closing, k == 0)
            mujoco.mj_step2(self.model, self.data)
            motor += self.data.qfrc_actuator[self.v]
        self._steps += 1
        self._feel((self.data.qvel - before) / self.period, motor / steps)
        if self._started.watch and self._steps % (CONTROL_HZ // JUDGED_HZ) == 0:
            self._started.watch()

    def motor_of(self, joint: str) -> int | None:
        """The number of the motor of a joint; None if nothing drives it."""
        driven = np.flatnonzero(self.model.actuator_trnid[:, 0] == self.model.joint(joint).id)
        return int(driven[0]) if len(driven) else None

    def judged(self) -> bool:
        """What robosuite's own check says now."""
        return bool(self.env._check_success())

    def in_base(self, T_world: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.inv(self.T_world_base) @ T_world)

    def _base(self, first: int) -> np.ndarray:
        """T_world_base: where the body of the first joint is, seen from the base with all at 0.

        A joint below it that is not the arm's stays as it is, and turns the whole arm.
        """
        still = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, still)
        carries = int(self.model.body_parentid[first])
        base = pose_of(still.body('robot0_base'))
        return np.asarray(pose_of(self.data.body(carries))
                          @ np.linalg.inv(pose_of(still.body(carries))) @ base)

    def close(self) -> None:
        """The environment is free for another world."""
        if not self._closed:
            self._closed = True
            self._started.give_back()

    def _feel(self, accelerations: np.ndarray, motor: np.ndarray) -> None:
        """The balance of the period: from encoders, motors and the arm's own model.

        The acceleration is the change of speed that the encoders show, not the simulator's: with
        that, the balance would be the simulator's contact force.
        """
        data = self.data
        inertia = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, data, inertia, accelerations)
        model = (inertia + data.qfrc_bias - data.qfrc_passive)[self.v]
        share = share_of_new(self.period)
        self._felt = share * (model - motor) + (1 - share) * self._felt


def pose_of(body: Any) -> np.ndarray:
    """T_world_body."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = body.xmat.reshape(3, 3), body.xpos
    return T
