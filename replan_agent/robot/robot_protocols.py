# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the rest of the system may ask of an arm and a camera."""

from __future__ import annotations

from typing import Protocol

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame, CommandResult, ContactGuard, RobotState
from replan_agent.domain.trajectory import JointLimits, JointTrajectory


class SeenRobot(Protocol):
    """What a perception needs of an arm: it never commands it."""

    @property
    def limits(self) -> JointLimits: ...

    @property
    def home(self) -> FloatArray:
        """Joint angles (rad) of the home position."""

    @property
    def base_frame(self) -> str: ...

    @property
    def max_gripper_width(self) -> float:
        """Opening (m) between the pads when fully open."""

    def state(self) -> RobotState: ...


class Robot(SeenRobot, Protocol):
    """An arm with a parallel gripper. Commands block until done, cancelled or out of time.

    If a command is cancelled or out of time, the arm stops. At standstill it raises `Cancelled` or
    `DeadlineExceeded`.
    """

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts at the arm's current position; returns at standstill.

        With a guard the arm stops at a contact that it feels in its joints. The result is success
        if the guard expected the contact, else `in_collision`.
        """

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads)."""

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N)."""

    def stop(self) -> None:
        """Stop all motion now; returns at standstill."""


class Camera(Protocol):
    def capture(self, ctx: Context) -> CameraFrame:
        """A picture of this moment. Raises CameraError if unavailable."""
