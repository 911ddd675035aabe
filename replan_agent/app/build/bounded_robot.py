"""A robot that does not leave its workspace, whoever planned the motion."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointLimits, JointTrajectory
from replan_agent.motion.envelope import Envelope
from replan_agent.robot.robot_protocols import Robot


@dataclass(frozen=True)
class BoundedRobot:
    """Refuses trajectories that leave the workspace box, enter a keep-out zone or are too fast."""

    robot: Robot
    envelope: Envelope

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
        """Follow the trajectory if it stays inside; a refused one does not start."""
        violation = self.envelope.violation(trajectory)
        if violation:
            return CommandResult(False, Reason.WORKSPACE_VIOLATION, violation,
                                 cause=Cause.WORKSPACE_VIOLATION)
        beyond = self.limits.violation(trajectory)
        if beyond:
            return CommandResult(False, Reason.CONTROLLER_ABORTED, f'trajectory refused: {beyond}',
                                 cause=Cause.TRAJECTORY_REFUSED)
        return self.robot.execute(trajectory, ctx, guard)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        return self.robot.move_gripper(width, ctx)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        return self.robot.grasp(force, ctx)

    def stop(self) -> None:
        self.robot.stop()
