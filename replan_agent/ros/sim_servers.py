"""The action servers of the simulated arm: goals to commands, outcomes to results.

A goal is always accepted and a refusal is an aborted result, since only a result can say why.
"""

from __future__ import annotations

import threading

from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent.domain.context import Cancelled, Context
from replan_agent.domain.robot import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.robot.mujoco.robot import MujocoRobot

from .arm_conversions import trajectory_from_msg
from .arm_interfaces import ArmInterfaces
from .fields import MessageError
from .physics import Physics
from .sim_commands import Command, Commands

REACHED_M = 0.002  # of the gripper's width
STATE_S = 5.0
CANCEL_SEEN_S = 2.0
LOOK_S = 0.005


class ArmServers:
    """FollowJointTrajectory and GripperCommand for a MujocoRobot, one goal at a time."""

    def __init__(self, node: Node, robot: MujocoRobot, physics: Physics, commands: Commands,
                 names: ArmInterfaces) -> None:
        self._log, self._robot = node.get_logger(), robot
        self._physics, self._commands = physics, commands
        model, group = robot.world.arm_model, ReentrantCallbackGroup()
        self._servers = [
            ActionServer(node, kind, name, execute, callback_group=group,
                         cancel_callback=self._cancel)
            for kind, name, execute in (
                (FollowJointTrajectory, names.trajectory_of(model), self._follow),
                (GripperCommand, names.gripper_of(model), self._grip))]

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self._commands.cancel(handle.goal_id)
        return CancelResponse.ACCEPT

    def _follow(self, handle: ServerGoalHandle) -> FollowJointTrajectory.Result:

        def command(ctx: Context) -> CommandResult:
            try:
                trajectory = trajectory_from_msg(
                    handle.request.trajectory, self._robot.limits.names,
                    self._robot.state().joints)
            except MessageError as error:
                return CommandResult(False, Reason.BAD_ARGUMENTS, f'refused: {error}')
            return self._robot.execute(trajectory, ctx)

        done = self._run(handle, 'a trajectory', command)
        self._end(handle, done)
        return FollowJointTrajectory.Result(
            error_code=error_code(done), error_string=done.detail if done else 'cancelled')

    def _grip(self, handle: ServerGoalHandle) -> GripperCommand.Result:
        """Positions are of one finger. As with Franka's own server, opening is a move, and
        closing with an effort (N) is a grasp: it ends where the fingers stall, and presses on."""
        wanted = handle.request.command
        width = 2 * wanted.position

        def command(ctx: Context) -> CommandResult:
            if wanted.max_effort > 0 and width < self._robot.state().gripper_width:
                return self._robot.grasp(wanted.max_effort, ctx)
            return self._robot.move_gripper(width, ctx)

        done = self._run(handle, 'a gripper command', command)
        state = self._physics.do(self._robot.state).result(STATE_S)
        reached = abs(state.gripper_width - width) <= REACHED_M
        stalled = not reached and done is not None and done.reason is not Reason.STOPPED
        self._end(handle, done)
        return GripperCommand.Result(
            position=state.gripper_width / 2, effort=float(state.gripper_force),
            reached_goal=reached, stalled=stalled)

    def _run(self, handle: ServerGoalHandle, what: str,
             command: Command) -> CommandResult | None:
        """What came of it; None when it was cancelled."""
        try:
            return self._commands.run(handle.goal_id, what, command)
        except Cancelled:
            return None

    def _end(self, handle: ServerGoalHandle, done: CommandResult | None) -> None:
        if done is None and self._cancel_seen(handle):
            handle.canceled()
        elif done is not None and done.success:
            handle.succeed()
        else:
            self._log.warning(done.detail if done else 'cancelled')
            handle.abort()

    @staticmethod
    def _cancel_seen(handle: ServerGoalHandle) -> bool:
        """The arm may stand still before the request to cancel has changed the goal's state."""
        moment = threading.Event()
        for _ in range(round(CANCEL_SEEN_S / LOOK_S)):
            if handle.is_cancel_requested:
                return True
            moment.wait(LOOK_S)
        return False


def error_code(done: CommandResult | None) -> int:
    """The code of FollowJointTrajectory that says best what the robot's sentence says."""
    codes = FollowJointTrajectory.Result
    if done is None or done.success:
        return int(codes.SUCCESSFUL)
    if 'its joints are' in done.detail:
        return int(codes.INVALID_JOINTS)
    if 'refused' in done.detail or done.reason is Reason.STOPPED:
        return int(codes.INVALID_GOAL)
    if 'away from its goal' in done.detail:
        return int(codes.GOAL_TOLERANCE_VIOLATED)
    return int(codes.PATH_TOLERANCE_VIOLATED)
