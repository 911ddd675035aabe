"""A robot that does not leave its workspace, and whose answers make sense."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.part_failed import checked_answer, checked_state
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.wrapped_robot import WrappedRobot
from replan_agent.motion.envelope import Envelope


@dataclass(frozen=True)
class BoundedRobot(WrappedRobot):
    """Refuses trajectories that leave the workspace box, enter a keep-out zone or are too fast.

    A state that is no state, and an answer that is none, raise PartFailed: it names the robot.
    """

    envelope: Envelope

    def state(self) -> RobotState:
        return checked_state(self.robot.state(), len(self.limits.names))

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
        return checked_answer(self.robot.execute(trajectory, ctx, guard), 'execute')

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        return checked_answer(self.robot.move_gripper(width, ctx), 'move_gripper')

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        return checked_answer(self.robot.grasp(force, ctx), 'grasp')
