# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A motion as a FollowJointTrajectory goal, and the meaning of the controller's answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from trajectory_msgs.msg import JointTrajectory as TrajectoryMsg
from trajectory_msgs.msg import JointTrajectoryPoint

from replan_agent.domain.cause import Cause
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.ros.messages.message_fields import duration_to_msg

from .arm_interfaces import ArmInterfaces

# Codes of sim_node that control_msgs does not have.
FAILED, CONTACT, STOPPED = -100, -101, -102

Codes = FollowJointTrajectory.Result
CODES = {FAILED: 'FAILED', CONTACT: 'CONTACT', STOPPED: 'STOPPED', **{
    getattr(Codes, name): name for name in (
        'SUCCESSFUL', 'INVALID_GOAL', 'INVALID_JOINTS', 'OLD_HEADER_TIMESTAMP',
        'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED')}}
CAUSES = {
    CONTACT: Cause.UNEXPECTED_CONTACT, STOPPED: Cause.STOPPED,
    Codes.INVALID_GOAL: Cause.TRAJECTORY_REFUSED, Codes.INVALID_JOINTS: Cause.TRAJECTORY_REFUSED,
    Codes.OLD_HEADER_TIMESTAMP: Cause.TRAJECTORY_REFUSED,
    Codes.PATH_TOLERANCE_VIOLATED: Cause.HELD_UP, Codes.GOAL_TOLERANCE_VIOLATED: Cause.HELD_UP,
}
REASONS = {Cause.UNEXPECTED_CONTACT: Reason.IN_COLLISION, Cause.STOPPED: Reason.STOPPED}


def trajectory_to_msg(trajectory: JointTrajectory) -> TrajectoryMsg:
    """A trajectory that starts when it is received: its stamp is 0."""
    rows = zip(trajectory.times, trajectory.positions, trajectory.velocities,
               trajectory.accelerations)
    return TrajectoryMsg(joint_names=list(trajectory.names), points=[
        JointTrajectoryPoint(positions=q.tolist(), velocities=qd.tolist(),
                             accelerations=qdd.tolist(),
                             time_from_start=duration_to_msg(float(t)))
        for t, q, qd, qdd in rows])


def follow_goal(trajectory: JointTrajectory, given: ArmInterfaces) -> FollowJointTrajectory.Goal:
    """The goal with the tolerances of `given`; a path_tolerance of 0 is left out."""
    def tolerances(position: float) -> list[JointTolerance]:
        return [JointTolerance(name=name, position=position) for name in trajectory.names]

    return FollowJointTrajectory.Goal(
        trajectory=trajectory_to_msg(trajectory),
        path_tolerance=tolerances(given.path_tolerance) if given.path_tolerance else [],
        goal_tolerance=tolerances(given.goal_tolerance),
        goal_time_tolerance=duration_to_msg(given.goal_time_tolerance))


def start_mismatch(trajectory: JointTrajectory, joints: FloatArray, tolerance: float) -> str:
    """Why a motion cannot start where the arm is, as a sentence; '' if it can."""
    away = np.abs(trajectory.start - joints)
    worst = int(away.argmax())
    if away[worst] <= tolerance:
        return ''
    return (f'the arm is not where the motion starts: {trajectory.names[worst]} is '
            f'{away[worst]:.3f} rad away (start_tolerance {tolerance:g}); plan again')


def verdict(result: Any) -> str:
    """The controller's error code, by name, and its text."""
    code = CODES.get(result.error_code, 'error')
    return f'{code} ({result.error_code}): {result.error_string or "no text"}'


def motion_result(answer: Any) -> CommandResult:
    """The outcome of a motion that was not cancelled."""
    if answer.status == GoalStatus.STATUS_SUCCEEDED:
        return CommandResult(True)
    cause = CAUSES.get(answer.result.error_code, Cause.CONTROLLER_ERROR)
    return CommandResult(False, REASONS.get(cause, Reason.CONTROLLER_ABORTED),
                         f'the controller ended the motion: {verdict(answer.result)}',
                         contact=cause is Cause.UNEXPECTED_CONTACT, cause=cause)
