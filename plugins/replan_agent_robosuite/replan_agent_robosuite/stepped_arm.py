# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's arms behind the Robot protocol. It senses only encoders and motors."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.robot.contact import ContactWatch
from replan_agent.robot.sampling import Samples
from replan_agent.robot.stepped_robot import SteppedRobot

from .fixed_tool import FixedTool, has_fingers
from .motors import Motors
from .robot_world import DAMPING, STIFFNESS, RobotWorld
from .stepped_hand import SteppedHand


class SteppedArm(SteppedRobot):
    """Commands are joint positions for robosuite's own controller."""

    def __init__(self, world: RobotWorld, base_frame: str) -> None:
        self._world, self._motors = world, Motors(world)
        self._hand = SteppedHand(world) if has_fingers(world) else FixedTool(world)
        super().__init__(world.arm.limits, self._hand, base_frame, world.period, world.period)

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory, as much slower as the motors need it. Returns at standstill."""
        return super().execute(self._motors.slowed(trajectory), ctx, guard)

    @property
    def home(self) -> np.ndarray:
        return self._world.start_joints

    @property
    def max_gripper_width(self) -> float:
        return self._hand.widest

    def _time(self) -> float:
        return self._world.time

    def _joints(self) -> np.ndarray:
        return self._world.joints

    def _speeds(self) -> np.ndarray:
        return self._world.speeds

    def _felt(self) -> np.ndarray:
        return self._world.felt

    def _aim(self, joints: np.ndarray) -> None:
        self._world.aim(joints)

    def _rest(self) -> None:
        self._world.advance()

    def _follow(self, samples: Samples, watch: ContactWatch | None = None) -> str:
        """Command each sample for one period. Returns the contact that ended it, or ''.

        The controller accelerates with stiffness · (command - q) - damping · qd. The command
        leads by what that takes, so the arm follows without lag.
        """
        for q, qd, qdd in zip(*samples):
            self._world.aim(q + (DAMPING * qd + qdd) / STIFFNESS)
            self._world.advance()
            contact = watch.contact(self._world.felt) if watch else ''
            if contact:
                return contact
        return ''
