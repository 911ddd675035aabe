# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The meaning of MoveIt's error codes: one table, from moveit_msgs/MoveItErrorCodes (ROS 2)."""

from __future__ import annotations

from typing import NamedTuple

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import DEFAULT_DIAGNOSIS
from replan_agent.domain.skill import Reason

# The codes that other modules know by name.
SUCCESS, PLANNING_FAILED, INVALID_MOTION_PLAN, TIMED_OUT = 1, -1, -2, -6
GOAL_IN_COLLISION, GOAL_STATE_INVALID = -12, -27


class CodeMeaning(NamedTuple):
    """The code's name, the reason for a skill (None: no failure), and a sentence."""

    name: str
    reason: Reason | None
    sentence: str

    @property
    def cause(self) -> Cause | None:
        """The default cause of this reason, for lack of more detail."""
        return DEFAULT_DIAGNOSIS[self.reason].cause if self.reason else None


def _m(name: str, reason: Reason | None, sentence: str) -> CodeMeaning:
    return CodeMeaning(name, reason, sentence)


BLOCKED, COLLIDES, WRONG = Reason.PATH_BLOCKED, Reason.IN_COLLISION, Reason.BAD_ARGUMENTS
SYSTEM = Reason.CONTROLLER_ABORTED

CODES: dict[int, CodeMeaning] = {
    SUCCESS: _m('SUCCESS', None, ''),
    0: _m('UNDEFINED', SYSTEM, 'MoveIt gave no verdict'),
    99999: _m('FAILURE', SYSTEM, 'MoveIt failed and does not say why'),
    PLANNING_FAILED: _m('PLANNING_FAILED', BLOCKED, 'no way around the obstacles was found'),
    INVALID_MOTION_PLAN: _m('INVALID_MOTION_PLAN', BLOCKED,
                            'the motion that was found touches something'),
    -3: _m('MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE', BLOCKED,
           'the scene changed during planning'),
    -4: _m('CONTROL_FAILED', SYSTEM, 'the controller failed'),
    -5: _m('UNABLE_TO_AQUIRE_SENSOR_DATA', Reason.STALE_SCENE, 'MoveIt got no sensor data'),
    TIMED_OUT: _m('TIMED_OUT', Reason.TIMEOUT, 'planning took too long'),
    -7: _m('PREEMPTED', Reason.STOPPED, 'something else ended the planning'),
    -10: _m('START_STATE_IN_COLLISION', BLOCKED, 'the arm touches something where it is'),
    -11: _m('START_STATE_VIOLATES_PATH_CONSTRAINTS', WRONG,
            'the start breaks the constraints of the path'),
    GOAL_IN_COLLISION: _m('GOAL_IN_COLLISION', COLLIDES, 'the goal touches something'),
    -13: _m('GOAL_VIOLATES_PATH_CONSTRAINTS', Reason.UNREACHABLE,
            'the goal breaks the constraints of the path'),
    -14: _m('GOAL_CONSTRAINTS_VIOLATED', Reason.UNREACHABLE, 'no state fulfils the goal'),
    -15: _m('INVALID_GROUP_NAME', WRONG, 'the MoveIt configuration has no such group'),
    -16: _m('INVALID_GOAL_CONSTRAINTS', WRONG, 'the goal cannot be understood'),
    -17: _m('INVALID_ROBOT_STATE', WRONG, 'a robot state is not valid'),
    -18: _m('INVALID_LINK_NAME', WRONG, 'the robot description has no such link'),
    -19: _m('INVALID_OBJECT_NAME', Reason.OBJECT_NOT_FOUND, 'MoveIt knows no such object'),
    -21: _m('FRAME_TRANSFORM_FAILURE', SYSTEM, 'a transform is missing'),
    -22: _m('COLLISION_CHECKING_UNAVAILABLE', SYSTEM, 'collisions cannot be checked'),
    -23: _m('ROBOT_STATE_STALE', SYSTEM, 'MoveIt has no fresh joint states'),
    -24: _m('SENSOR_INFO_STALE', Reason.STALE_SCENE, 'MoveIt has no fresh sensor data'),
    -25: _m('COMMUNICATION_FAILURE', SYSTEM, 'a part of MoveIt does not answer'),
    -26: _m('START_STATE_INVALID', WRONG, 'the start is not a valid state'),
    GOAL_STATE_INVALID: _m('GOAL_STATE_INVALID', WRONG, 'the goal is not a valid state'),
    -28: _m('UNRECOGNIZED_GOAL_TYPE', WRONG, 'MoveIt does not know that kind of goal'),
    -29: _m('CRASH', SYSTEM, 'the planner crashed'),
    -30: _m('ABORT', Reason.STOPPED, 'planning was aborted'),
    -31: _m('NO_IK_SOLUTION', Reason.UNREACHABLE, 'inverse kinematics has no solution'),
}


def meaning(code: int) -> CodeMeaning:
    """What a code means; an unpublished code counts as a failure of MoveIt itself."""
    unknown = _m(f'code {code}', SYSTEM, 'MoveIt answered with a code that is not published')
    return CODES.get(code, unknown)


def sentence(code: int) -> str:
    """The sentence for `reason_detail`, with the name and number of the code."""
    found = meaning(code)
    return f'{found.sentence} (MoveIt: {found.name}, {code})'
