# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm behind the Robot protocol. It senses only encoders and motors."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.sampling import Samples
from replan_agent.robot.stepped_robot import SteppedRobot

from ..contact import ContactWatch
from .gripper import WorldGripper
from .torque import CONTROL_STEPS, TorqueSense
from .world import World


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
