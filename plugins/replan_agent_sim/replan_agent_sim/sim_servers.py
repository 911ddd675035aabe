# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The action servers of the simulated arm: goals to commands, outcomes to results."""

from __future__ import annotations

from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, Context
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.ros.arm.arm_interfaces import ArmNames
from replan_agent.ros.arm.trajectory_goal import CONTACT, FAILED, STOPPED
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer

from .physics import Physics
from .sim_commands import Command, Commands
from .sim_messages import trajectory_from_msg

PARALLEL = 'parallel_gripper'  # of ros2_controllers; other hands are one of GripperCommand here
REACHED_M = 0.002  # of the gripper's width
STATE_S = 5.0
CANCELLED = CommandResult(False, detail='cancelled; the arm stands still')


class ArmServers:
    """FollowJointTrajectory and GripperCommand for a MujocoRobot, one goal at a time.

    `reflex` ends a motion that hits something, as a real arm does by itself.
    """

    def __init__(self, node: Node, robot: MujocoRobot, physics: Physics, commands: Commands,
                 names: ArmNames, reflex: ContactGuard | None) -> None:
        self._log, self._robot, self._reflex = node.get_logger(), robot, reflex
        self._physics, self._commands = physics, commands
        arm = robot.world.arm
        self._hand = arm.ros.gripper
        gripper, grip = ((_parallel(), self._grip_parallel) if names.gripper_driver == PARALLEL
                         else (GripperCommand, self._grip))
        self._servers = (
            GoalServer(node, FollowJointTrajectory, names.trajectory_action,
                       self._follow, lambda _, why: _followed(_refused(why))),
            GoalServer(node, gripper, names.gripper_action, grip,
                       lambda _, why: gripper.Result()))

    def close(self, timeout_s: float) -> bool:
        """End running goals and accept no more; True if they ended in time."""
        return all([server.close('the simulation ends', timeout_s) for server in self._servers])

    def _follow(self, call: GoalCall) -> Answer:

        def command(ctx: Context) -> CommandResult:
            try:
                trajectory = trajectory_from_msg(
                    call.request.trajectory, self._robot.limits.names,
                    self._robot.state().joints)
            except MessageError as error:
                return _refused(str(error))
            try:
                return self._robot.execute(trajectory, ctx, self._reflex)
            except Cancelled:
                self._stay()
                raise

        done = self._run(call, 'a trajectory', command)
        fits = set(call.request.trajectory.joint_names) == set(self._robot.limits.names)
        return _followed(done, fits), done.success

    def _grip(self, call: GoalCall) -> Answer:
        """Move or grasp; the position is that of a joint of the fingers.

        As in the server of a real hand, opening is a move, and closing with an effort (N) is a
        grasp: it ends where the fingers stall, and keeps pressing.
        """
        wanted = call.request.command
        done, position, force, reached = self._gripped(call, wanted.position, wanted.max_effort)
        return GripperCommand.Result(
            position=position, effort=force, reached_goal=reached,
            stalled=_stalled(done, reached)), done.success

    def _grip_parallel(self, call: GoalCall) -> Answer:
        """The same for ParallelGripperCommand, whose command is a joint state."""
        wanted, kind = call.request.command, _parallel().Result
        if len(wanted.position) != 1:
            self._log.warning('a gripper command needs one position')
            return kind(), False
        done, position, force, reached = self._gripped(call, wanted.position[0],
                                                       sum(wanted.effort))
        return kind(state=JointState(name=list(self._hand.reads), position=[position],
                                     effort=[force]),
                    reached_goal=reached, stalled=_stalled(done, reached)), done.success

    def _gripped(self, call: GoalCall, position: float,
                 effort: float) -> tuple[CommandResult, float, float, bool]:
        """The end of a command, position and force then, and whether the position is reached."""
        width = self._hand.width([position])

        def command(ctx: Context) -> CommandResult:
            if effort > 0 and width < self._robot.state().gripper_width:
                return self._robot.grasp(effort, ctx)
            return self._robot.move_gripper(width, ctx)

        done = self._run(call, 'a gripper command', command)
        state = self._physics.do(self._robot.state).result(STATE_S)
        return (done, self._hand.commanded(state.gripper_width), float(state.gripper_force),
                abs(state.gripper_width - width) <= REACHED_M)

    def _stay(self) -> None:
        """Hold the arm where it is, as controllers do: it should not press on what it hit."""
        names, here = self._robot.limits.names, self._robot.state().joints[None]
        still = np.zeros_like(here)
        self._robot.execute(JointTrajectory(names, np.zeros(1), here, still, still), Context())

    def _run(self, call: GoalCall, what: str, command: Command) -> CommandResult:
        try:
            done = self._commands.run(what, command, call.cancel)
        except Cancelled:
            return CANCELLED
        if not done.success:
            self._log.warning(f'{what}: {done.detail}')
        return done


def _parallel() -> Any:
    from control_msgs.action import ParallelGripperCommand  # Humble may lack it

    return ParallelGripperCommand


def _stalled(done: CommandResult, reached: bool) -> bool:
    return not reached and (done.success or done.reason is Reason.CONTROLLER_ABORTED)


def _refused(why: str) -> CommandResult:
    return CommandResult(False, Reason.BAD_ARGUMENTS, f'refused: {why}',
                         cause=Cause.TRAJECTORY_REFUSED)


def _followed(done: CommandResult, fits: bool = True) -> FollowJointTrajectory.Result:
    return FollowJointTrajectory.Result(error_code=error_code(done, fits),
                                        error_string=done.detail)


def error_code(done: CommandResult, fits: bool = True) -> int:
    """The FollowJointTrajectory code of a command's end; `fits`: the joints are ours."""
    codes = FollowJointTrajectory.Result
    if done.success or done is CANCELLED:
        return int(codes.SUCCESSFUL)
    by_cause = {
        Cause.TRAJECTORY_REFUSED: codes.INVALID_GOAL if fits else codes.INVALID_JOINTS,
        Cause.HELD_UP: (codes.GOAL_TOLERANCE_VIOLATED if done.short_of_goal
                        else codes.PATH_TOLERANCE_VIOLATED),
        Cause.UNEXPECTED_CONTACT: CONTACT, Cause.STOPPED: STOPPED}
    return int(by_cause.get(done.cause or Cause.CONTROLLER_ERROR, FAILED))
