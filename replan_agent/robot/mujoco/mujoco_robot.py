# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm behind the Robot protocol. It senses only encoders and motors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replan_agent.domain.motion_sample import MotionSample, Trace
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.sampling import Samples
from replan_agent.robot.stepped_robot import SteppedRobot

from ..contact import ContactWatch, share_of_new
from .gl import mujoco
from .gripper import WorldGripper
from .world import World

CONTROL_STEPS = 2  # physics steps per reading


class MujocoRobot(SteppedRobot):
    """The arm of a World. Commands step the world until they are done."""

    def __init__(self, world: World, base_frame: str = '') -> None:
        self.world = world
        self._stiffness = np.array(world.arm.dynamics.stiffness)
        # The servo's damping and the joint's own, which slow a moving arm.
        self._damping = np.add(world.arm.dynamics.servo_damping, world.arm.dynamics.joint_damping)
        self.sense_again()
        self._count = world.arm.joint_count
        super().__init__(world.arm.limits, WorldGripper(world), base_frame or world.arm.base_frame,
                         world.timestep, self._sense.period)

    def sense_again(self) -> None:
        """For a world that has another state from now on: more things than before."""
        self._sense = TorqueSense(self.world)

    @property
    def home(self) -> FloatArray:
        return np.array(self.world.arm.home)

    @property
    def max_gripper_width(self) -> float:
        return self.world.arm.hand.max_width_m

    def _time(self) -> float:
        return self.world.time

    def _joints(self) -> FloatArray:
        return np.asarray(self.world.data.qpos[:self._count])

    def _speeds(self) -> FloatArray:
        return np.asarray(self.world.data.qvel[:self._count])

    def _felt(self) -> FloatArray:
        return self._sense.now()

    def _aim(self, joints: FloatArray) -> None:
        self.world.data.ctrl[:self._count] = joints

    def _rest(self) -> None:
        self._sense.advance()

    def _follow(self, samples: Samples, watch: ContactWatch | None = None) -> str:
        """Command each sample for one step. Returns the contact that ended it, or ''.

        The servo pulls with stiffness · (command - q) - damping · qd. The command leads by what
        damping and inertia will take, so the arm follows without lag. A command that stayed for
        several steps would make the speed ripple.
        """
        for first in range(0, len(samples[0]), self._check_steps):
            q, qd, qdd = (values[first:first + self._check_steps] for values in samples)
            at_end = qd + qdd * self._step / 2  # the integrator damps with the speed at its end
            torque = at_end * self._damping + qdd @ self._sense.mass_matrix()
            commands = q + torque / self._stiffness
            if len(commands) % CONTROL_STEPS:
                commands = np.concatenate([commands, commands[-1:]])  # the last one stays
            for pair in commands.reshape(-1, CONTROL_STEPS, self._count):
                felt = self._sense.advance(pair)
                contact = watch.contact(felt) if watch else ''
                if contact:
                    return contact
        return ''


class TorqueSense:
    """The external torque of a World's arm, from encoders, joint torques and the arm's model.

    It balances the inverse dynamics M(q) q̈ + c(q, q̇) + g(q) + damping against the motor torque,
    as a real arm does. It never reads the simulator's contacts. Mass matrix and bias are the
    arm's rows of the world's: objects are separate trees, so a model of the arm alone has the
    same. The model does not include a carried object, so its weight is felt.
    """

    def __init__(self, world: World) -> None:
        data, self._arm = world.data, world.arm.dynamics
        self._own_damping = np.array(self._arm.joint_damping)
        self._world, self._count = world, (N := world.arm.joint_count)
        self.period = CONTROL_STEPS * world.timestep
        # Views, so they always show the last step.
        self._speed, self._bias = data.qvel[:N], data.qfrc_bias[:N]
        self._motor, self._command = data.qfrc_actuator[:N], data.ctrl[:N]
        self._mass = np.zeros((world.model.nv, world.model.nv))
        # speed before, speed after, bias, motor torque of each step, what was felt before
        self._readings = np.zeros((6, N))
        self._flat = self._readings.reshape(-1)
        self._balance = np.zeros((N, 6, N))
        self._flat_balance = self._balance.reshape(N, -1)
        self._felt = np.zeros(N)
        self._felt_at = -np.inf
        self._set_constant_terms()

    def mass_matrix(self) -> FloatArray:
        """M(q) (n, n) of the arm now. `advance` uses it until the next call."""
        mujoco.mj_fullM(self._world.model, self._world.data, self._mass)
        mass = self._mass[:self._count, :self._count]
        change = self._share / self.period * mass + self._late_damping
        self._balance[:, 0] = -change
        self._balance[:, 1] = change + self._damping
        return mass

    def advance(self, commands: FloatArray | None = None) -> FloatArray:
        """Step the world by one control period; the external torque (n, N·m) at its end.

        `commands` (CONTROL_STEPS, n) are the servos' targets in each step; without, they stay.
        The balance and the filter are linear in the readings, so this is one matrix product.
        """
        world, readings = self._world, self._readings
        readings[0] = self._speed
        for k in range(CONTROL_STEPS):
            if commands is not None:
                self._command[:] = commands[k]
            world.step()
            readings[3 + k] = self._motor
        readings[1] = self._speed
        readings[2] = self._bias
        readings[5] = self._felt
        self._felt = self._flat_balance.dot(self._flat)
        self._felt_at = world.data.time
        return self._felt

    def now(self) -> FloatArray:
        """The external torque (n, N·m) now; an arm that nobody moved stands still."""
        if self._world.data.time - self._felt_at > 1.5 * self.period:
            self._felt = self._bias + self._own_damping * self._speed - self._motor
            self._felt_at = self._world.data.time
        return self._felt

    def _set_constant_terms(self) -> None:
        self._share, eye = (share := share_of_new(self.period)), np.eye(self._count)
        self._damping = share * self._own_damping * eye
        # The integrator applies the servo's damping at the end of a step, not at its start.
        self._late_damping = share * np.diag(self._arm.servo_damping) / CONTROL_STEPS
        self._balance[:, 2] = share * eye
        self._balance[:, 3] = self._balance[:, 4] = -share / CONTROL_STEPS * eye
        self._balance[:, 5] = (1 - share) * eye
        self.mass_matrix()


def world_trace(world: World) -> Trace:
    """The world's samples, for the record of a run. Taking one changes nothing."""
    def trace(record: Callable[[MotionSample], None], period_s: float) -> Callable[[], None]:
        record(sample_of(world))
        return world.on_step(lambda: record(sample_of(world)), period_s)

    return trace


def sample_of(world: World) -> MotionSample:
    """The arm and all things that can move, as they are now."""
    n, data = world.arm.joint_count, world.data
    return MotionSample(
        round(world.time, 6), tuple(map(float, data.qpos[:n])),
        world.gripper_width, max(0.0, float(data.ctrl[n])),
        {placed.spec.name: tuple(map(float, data.joint(placed.spec.name).qpos))
         for placed in world.placed if not placed.spec.fixed},
        tuple(round(float(force), 2) for force in data.actuator_force[:n + 1]))
