"""What the rest of the system may ask of an arm and a camera."""

from __future__ import annotations

from typing import Protocol

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame, CommandResult, ContactGuard, RobotState
from replan_agent.domain.trajectory import JointLimits, JointTrajectory


class Robot(Protocol):
    """An arm with a parallel gripper. Commands block until done, cancelled or out of time.

    A cancelled or overdue command stops the arm, waits for standstill, and only then raises
    `Cancelled` or `DeadlineExceeded`.
    """

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

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now; returns at standstill.

        With a guard the arm stops at a contact that it feels in its joints: success when the
        guard expected it, `in_collision` otherwise.
        """

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads)."""

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N)."""

    def stop(self) -> None:
        """End all motion now; returns at standstill."""


class Camera(Protocol):
    def capture(self, ctx: Context) -> CameraFrame:
        """A picture of this moment. Raises CameraError when there is none to be had."""
