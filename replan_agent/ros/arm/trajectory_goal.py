"""A motion as a FollowJointTrajectory goal, and what the controller's answer means."""

from __future__ import annotations

from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.ros.messages.arm_messages import duration_to_msg, trajectory_to_msg

from .arm_interfaces import ArmInterfaces

CODES = {getattr(FollowJointTrajectory.Result, name): name for name in (
    'SUCCESSFUL', 'INVALID_GOAL', 'INVALID_JOINTS', 'OLD_HEADER_TIMESTAMP',
    'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED')}


def follow_goal(trajectory: JointTrajectory, given: ArmInterfaces) -> FollowJointTrajectory.Goal:
    """The goal with the tolerances that `given` has; none on the way where that one is 0."""
    def tolerances(position: float) -> list[JointTolerance]:
        return [JointTolerance(name=name, position=position) for name in trajectory.names]

    return FollowJointTrajectory.Goal(
        trajectory=trajectory_to_msg(trajectory),
        path_tolerance=tolerances(given.path_tolerance) if given.path_tolerance else [],
        goal_tolerance=tolerances(given.goal_tolerance),
        goal_time_tolerance=duration_to_msg(given.goal_time_tolerance))


def elsewhere(trajectory: JointTrajectory, joints: FloatArray, tolerance: float) -> str:
    """Why a motion cannot begin where the arm is, in a sentence; '' when it can."""
    away = np.abs(trajectory.start - joints)
    worst = int(away.argmax())
    if away[worst] <= tolerance:
        return ''
    return (f'the arm is not where the motion begins: {trajectory.names[worst]} is '
            f'{away[worst]:.3f} rad away (start_tolerance {tolerance:g}); plan again')


def verdict(result: Any) -> str:
    """The controller's error code, by name, and its text."""
    code = CODES.get(result.error_code, 'error')
    return f'{code} ({result.error_code}): {result.error_string or "no text"}'


def followed(answer: Any) -> CommandResult:
    """The outcome of a motion that was not cancelled."""
    if answer.status == GoalStatus.STATUS_SUCCEEDED:
        return CommandResult(True)
    text = answer.result.error_string
    touched = text.startswith('unexpected contact')
    reason = (Reason.STOPPED if text.startswith('stopped') else
              Reason.IN_COLLISION if touched else Reason.CONTROLLER_ABORTED)
    return CommandResult(False, reason, f'the controller ended the motion: '
                         f'{verdict(answer.result)}', contact=touched)
