# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Counts what the arm is told to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from replan_agent import Context
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.wrapped_robot import WrappedRobot


@dataclass
class Count:
    commands: int = 0


@dataclass(frozen=True)
class CountedRobot(WrappedRobot):
    """The arm, with the number of commands that it was given."""

    count: Count = field(default_factory=Count)

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        self.count.commands += 1
        return self.robot.execute(trajectory, ctx, guard)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        self.count.commands += 1
        return self.robot.move_gripper(width, ctx)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        self.count.commands += 1
        return self.robot.grasp(force, ctx)

    def pass_time(self, seconds: float, ctx: Context) -> None:
        simulated: Any = self.robot  # of a world in which time stands still unless it is stepped
        simulated.pass_time(seconds, ctx)
