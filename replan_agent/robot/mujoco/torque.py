# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""External joint torque: measured torque minus what the arm's own model predicts."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.contact import share_of_new

from .gl import mujoco
from .world import World

CONTROL_STEPS = 2  # physics steps per reading


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
