"""A robosuite environment that is stepped with joint positions: physics, time, readings."""

from __future__ import annotations

from typing import Any

import numpy as np

from replan_agent.robot.contact import share_of_new
from replan_agent.robot.mujoco.gl import mujoco  # first: it chooses the graphics library

from .environments import ARM, CONTROL_HZ, STIFFNESS, keep, started
from .tasks import Task

DAMPING = 2 * STIFFNESS**0.5  # its kd: critical
SETTLE_S = 0.5  # the things drop a little at the start
JOINTS = 7


class PandaWorld:
    """robosuite's own physics, controller and random start. Nothing in it is changed.

    Time stands still unless `advance` is called. Positions are in the arm's base frame.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.seed = task, seed
        self.env = started(task.env, seed)
        self.model, self.data = self.env.sim.model._model, self.env.sim.data._data
        self.period = 1.0 / CONTROL_HZ
        self._steps, self._closed = 0, False
        base = self.data.body('robot0_base')
        self.T_world_base = np.eye(4)
        self.T_world_base[:3, :3], self.T_world_base[:3, 3] = base.xmat.reshape(3, 3), base.xpos
        self._target = self.joints.copy()
        self._felt = np.zeros(JOINTS)
        for _ in range(round(SETTLE_S * CONTROL_HZ)):
            self.advance()
        self._steps = 0

    @property
    def time(self) -> float:
        """Robot time (s) since the things came to rest."""
        return self._steps * self.period

    @property
    def joints(self) -> np.ndarray:
        return np.asarray(self.data.qpos[:JOINTS])

    @property
    def speeds(self) -> np.ndarray:
        return np.asarray(self.data.qvel[:JOINTS])

    @property
    def felt(self) -> np.ndarray:
        """The external torque (N·m): inverse dynamics of the arm minus the motors' torque."""
        return self._felt

    @property
    def start_joints(self) -> np.ndarray:
        """robosuite's start posture, without its noise."""
        return np.array(self.env.robots[0].init_qpos)

    @property
    def gripper(self) -> Any:
        return self.env.robots[0].gripper[ARM]

    def aim(self, joints: np.ndarray) -> None:
        """Set the target of the joint position controller."""
        self._target = np.array(joints)

    def advance(self, closing: float = 0.0) -> None:
        """One control period. `closing` moves the gripper: 1 close, -1 open, 0 as it is.

        This is robosuite's own step without what nobody reads: its observations and rewards.
        """
        sim, before = self.env.sim, self.data.qvel.copy()
        action, motor = np.append(self._target, closing), np.zeros(JOINTS)
        steps = round(self.period / self.env.model_timestep)
        for k in range(steps):
            sim.step1()
            self.env.robots[0].control(action, policy_step=k == 0)
            sim.step2()
            motor += self.data.qfrc_actuator[:JOINTS]
        self._steps += 1
        self._feel((self.data.qvel - before) / self.period, motor / steps)

    def judged(self) -> bool:
        """What robosuite's own check says now."""
        return bool(self.env._check_success())

    def in_base(self, T_world: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.inv(self.T_world_base) @ T_world)

    def close(self) -> None:
        """The environment is kept for the next world of the same task."""
        if not self._closed:
            self._closed = True
            keep(self.task.env, self.env)

    def _feel(self, accelerations: np.ndarray, motor: np.ndarray) -> None:
        """The balance of the period: from encoders, motors and the arm's own model.

        The acceleration is the change of speed that the encoders show, not the simulator's: with
        that, the balance would be the simulator's contact force.
        """
        data = self.data
        inertia = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, data, inertia, accelerations)
        model = (inertia + data.qfrc_bias - data.qfrc_passive)[:JOINTS]
        share = share_of_new(self.period)
        self._felt = share * (model - motor) + (1 - share) * self._felt
