"""A robot that obeys the context of a call, whatever context a skill hands it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.trajectory import JointTrajectory

from .wrapped_robot import WrappedRobot


@dataclass(frozen=True)
class ObedientRobot(WrappedRobot):
    """Every command ends with the call: after a cancel or its deadline, none starts."""

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
