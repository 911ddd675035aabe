# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What MoveIt's codes mean, and what they become for the caller. No MoveIt, no ROS."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_moveit.moveit_errors import CODES, meaning, sentence
from replan_agent_moveit.moveit_paths import MoveItPaths
from replan_agent_moveit.moveit_question import MoveItAnswer, Question

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import MotionRequest

REQUEST = MotionRequest(Scene('s', 0.0, (), 'test'))
# moveit_msgs/MoveItErrorCodes, as published for ROS 2 (val: name).
PUBLISHED = {
    1: 'SUCCESS', 0: 'UNDEFINED', 99999: 'FAILURE', -1: 'PLANNING_FAILED',
    -2: 'INVALID_MOTION_PLAN', -3: 'MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE',
    -4: 'CONTROL_FAILED', -5: 'UNABLE_TO_AQUIRE_SENSOR_DATA', -6: 'TIMED_OUT', -7: 'PREEMPTED',
    -10: 'START_STATE_IN_COLLISION', -11: 'START_STATE_VIOLATES_PATH_CONSTRAINTS',
    -12: 'GOAL_IN_COLLISION', -13: 'GOAL_VIOLATES_PATH_CONSTRAINTS',
    -14: 'GOAL_CONSTRAINTS_VIOLATED', -15: 'INVALID_GROUP_NAME',
    -16: 'INVALID_GOAL_CONSTRAINTS', -17: 'INVALID_ROBOT_STATE', -18: 'INVALID_LINK_NAME',
    -19: 'INVALID_OBJECT_NAME', -21: 'FRAME_TRANSFORM_FAILURE',
    -22: 'COLLISION_CHECKING_UNAVAILABLE', -23: 'ROBOT_STATE_STALE', -24: 'SENSOR_INFO_STALE',
    -25: 'COMMUNICATION_FAILURE', -26: 'START_STATE_INVALID', -27: 'GOAL_STATE_INVALID',
    -28: 'UNRECOGNIZED_GOAL_TYPE', -29: 'CRASH', -30: 'ABORT', -31: 'NO_IK_SOLUTION',
}


class Answers:
    """Gives always the same answer."""

    def __init__(self, answer: MoveItAnswer) -> None:
        self.answer, self.asked = answer, list[Question]()

    def plan(self, question: Question, ctx: Context) -> MoveItAnswer:
        self.asked.append(question)
        return self.answer

    def close(self) -> None: ...


def test_every_published_code_is_in_the_table_under_its_name() -> None:
    assert {value: found.name for value, found in CODES.items()} == PUBLISHED
    for value, found in CODES.items():
        assert (found.reason is None) == (value == 1)
        assert value == 1 or found.sentence and str(value) in sentence(value)


def test_an_unpublished_code_is_still_a_failure_with_its_number() -> None:
    assert meaning(-4711).reason is Reason.CONTROLLER_ABORTED and '-4711' in sentence(-4711)


@pytest.mark.parametrize('code', [c for c in PUBLISHED if c != 1])
def test_each_failure_reaches_the_caller_with_its_reason(code: int) -> None:
    paths = MoveItPaths(Answers(MoveItAnswer(code, touched=('vase',))), PANDA)
    found = paths.around(np.zeros(7), np.ones(7), REQUEST, 0.0, 1.0, Context())
    assert found.waypoints is None and found.reason is CODES[code].reason
    assert PUBLISHED[code] in found.detail and 'ompl' in found.detail
    assert found.blockers == ('vase',)
    assert found.again == (code in (-1, -2, -6)), 'only another random search may do better'


def test_a_line_is_asked_for_again_slower_before_it_fails() -> None:
    moveit = Answers(MoveItAnswer(-1))
    found = MoveItPaths(moveit, PANDA).line(np.zeros(7), Pose((0.5, 0, 0.3)), REQUEST, 1.0,
                                              Context())
    assert found.waypoints is None and found.reason is Reason.PATH_BLOCKED
    assert [question.speed for question in moveit.asked] == [1.0, 0.2]


def test_a_start_a_little_outside_the_limits_is_planned_from_the_limit() -> None:
    moveit = Answers(MoveItAnswer(1, np.zeros((2, 7))))
    outside = np.array([0, 0, 0, 0.1, 0, 0, 0.0])
    MoveItPaths(moveit, PANDA).around(outside, np.ones(7), REQUEST, 0.0, 1.0, Context())
    assert moveit.asked[0].start[3] == pytest.approx(-0.0698)
