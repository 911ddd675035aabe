# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots around another one: everything goes through, and a subclass changes what it must."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.trajectory import JointLimits, JointTrajectory
from replan_agent.robot.robot_protocols import Robot


@dataclass(frozen=True)
class WrappedRobot:
    """Passes every question and every command on to `robot`."""

    robot: Robot

    @property
    def limits(self) -> JointLimits:
        return self.robot.limits

    @property
    def home(self) -> FloatArray:
        return self.robot.home

    @property
    def base_frame(self) -> str:
        return self.robot.base_frame

    @property
    def max_gripper_width(self) -> float:
        return self.robot.max_gripper_width

    def state(self) -> RobotState:
        return self.robot.state()

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        return self.robot.execute(trajectory, ctx, guard)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        return self.robot.move_gripper(width, ctx)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        return self.robot.grasp(force, ctx)

    def stop(self) -> None:
        self.robot.stop()


@dataclass(frozen=True)
class ObedientRobot(WrappedRobot):
    """Obeys the context of a call, whatever context a skill hands it.

    Every command ends with the call: after a cancel or its deadline, none starts.
    """

    call: Context

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        return self.robot.execute(trajectory, self._both(ctx), guard)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        return self.robot.move_gripper(width, self._both(ctx))

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        return self.robot.grasp(force, self._both(ctx))

    def _both(self, ctx: Context) -> Context:
        """The context of the call, with the earlier deadline and the cancel of either."""
        ctx.check()
        self.call.check()
        both = self.call.within(ctx.remaining_s())
        if ctx.cancel is self.call.cancel:
            return both
        return replace(both, cancel=CancelToken(self.call.cancel, ctx.cancel))
