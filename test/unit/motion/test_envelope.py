# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The limits of a cell, on every point of a trajectory and between them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.config import ConfigError, MotionConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.envelope import BoundedChecker, Envelope, first_escape, parts_of, sampled
from replan_agent.motion.ik import ExactIK
from replan_agent.motion.motion_protocols import CollisionChecker, Contact, MotionRequest
from replan_agent.motion.planner import JointPlanner
from replan_agent.motion.timing import time_joint_move

KINEMATICS = FrankaKinematics()
HOME = np.array(franka.HOME)
CELL = WorkspaceConfig(x_min=0.15, x_max=0.75, y_min=-0.5, y_max=0.5, z_min=0.0, z_max=0.8)


def turned(angle: float) -> np.ndarray:
    joints = HOME.copy()
    joints[0] += angle
    return joints


def move(start: np.ndarray, goal: np.ndarray) -> JointTrajectory:
    return time_joint_move(start, goal, KINEMATICS.limits, 0.5, 0.5)


def two_points(start: np.ndarray, goal: np.ndarray) -> JointTrajectory:
    still = np.zeros((2, 7))
    return JointTrajectory(KINEMATICS.limits.names, np.array([0.0, 1.0]),
                           np.stack([start, goal]), still, still)


def above(x: float, y: float, z: float) -> np.ndarray:
    target = Pose.from_rpy(x, y, z, roll=math.pi, yaw=-math.pi / 2).matrix()
    joints = AnalyticIK(KINEMATICS.limits).solve_nearest(target, HOME)
    assert joints is not None
    return joints


def test_a_motion_inside_is_allowed() -> None:
    assert Envelope(PANDA, CELL).violation(move(HOME, turned(0.5))) == ''


def test_a_goal_outside_is_named_with_the_limit_and_the_time() -> None:
    cell = replace(CELL, x_max=0.55)
    said = Envelope(PANDA, cell).violation(move(HOME, above(0.6, 0.0, 0.3)))
    assert 'outside the workspace (x_max=0.55 m)' in said and 's into the motion' in said


def test_a_motion_that_swings_outside_between_two_good_ends_is_refused() -> None:
    ends = turned(-0.4), turned(0.4)
    cell = replace(CELL, x_max=0.295)  # both ends are at x=0.28, the middle is at 0.31
    envelope = Envelope(PANDA, cell)
    assert all(envelope.violation(move(end, end + 1e-6)) == '' for end in ends)
    for trajectory in (move(*ends), two_points(*ends)):
        assert 'x_max=0.295' in envelope.violation(trajectory)


def test_an_arm_that_stands_outside_may_come_back_and_go_no_further() -> None:
    envelope = Envelope(PANDA, replace(CELL, y_max=0.1))
    assert envelope.violation(move(turned(0.8), HOME)) == ''
    assert 'y_max' in envelope.violation(move(turned(0.8), turned(1.0)))


def test_an_elbow_in_a_keep_out_zone_is_found_even_if_the_tool_is_far_away() -> None:
    posture = above(0.6, 0.0, 0.2)
    link4 = KINEMATICS.link_frames(posture)[3, :3, 3]
    zone = 'post ' + ' '.join(f'{v:.3f}' for v in (*link4, 0.04, 0.04, 0.04))
    envelope = Envelope(PANDA, replace(CELL, keep_out=(zone,)))
    said = envelope.violation(two_points(above(0.6, 0.3, 0.2), posture))
    assert 'inside keep-out post' in said and 'the link' in said
    assert envelope.violation(two_points(above(0.6, 0.3, 0.2), above(0.6, 0.35, 0.2))) == ''


def test_the_fingers_may_not_dip_into_a_zone() -> None:
    envelope = Envelope(PANDA, replace(CELL, keep_out=('lamp 0.5 0 0.05 0.1 0.1 0.1',)))
    assert 'the hand would be' in envelope.violation(move(above(0.5, 0, 0.3),
                                                          above(0.5, 0, 0.08)))
    assert envelope.violation(move(above(0.5, 0, 0.3), above(0.5, 0, 0.13))) == ''


def test_a_zone_that_cannot_be_read_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match='keep_out'):
        Envelope(PANDA, replace(CELL, keep_out=('lamp 0.5',)))


def test_every_moving_part_is_there_and_none_is_larger_than_the_real_one() -> None:
    names = [part.name for part in parts_of(PANDA, eye_in_hand=False)]
    assert names == [*(f'link{i}' for i in range(1, 8)), 'hand']
    hand = parts_of(PANDA, eye_in_hand=False)[-1]
    lowest = (hand.centres[:, 2] + hand.radii).max()
    assert lowest == pytest.approx(PANDA.hand.tip_beyond_tcp_m, abs=1e-6)
    assert (np.abs(hand.centres[:, 1]) + hand.radii).max() <= 0.103 + 1e-9


def test_steps_between_samples_are_small_and_all_points_are_among_them() -> None:
    trajectory = two_points(HOME, turned(1.0))
    times, joints = sampled(trajectory)
    assert np.abs(np.diff(joints, axis=0)).max() <= 0.02 + 1e-12
    assert np.all(joints[0] == HOME) and np.all(joints[-1] == turned(1.0))
    assert times[0] == 0 and times[-1] == 1


@pytest.mark.parametrize(('margins', 'escape'), [
    ([0.1, 0.05, 0.2], None), ([0.1, -0.01], 1), ([-0.2, -0.1, 0.1, 0.0], None),
    ([-0.1, -0.2], 1), ([-0.2, -0.1, -0.15], 2), ([-0.1, 0.1, -0.05], 2),
])
def test_the_first_escape(margins: list[float], escape: int | None) -> None:
    assert first_escape(np.array(margins)) == escape


class Nothing(CollisionChecker):
    """A checker of an empty world."""

    def use(self, request: MotionRequest) -> None:
        pass

    def first_contact(self, joints: np.ndarray) -> Contact | None:
        return None

    def clearance(self, joints: np.ndarray) -> float:
        return 0.02


def test_a_planner_that_knows_the_workspace_does_not_leave_it() -> None:
    """The straight joint motion swings out to x=0.31; the one that is found does not."""
    cell = replace(CELL, x_max=0.295)
    checker = BoundedChecker(Nothing(), PANDA, cell)
    planner = JointPlanner(KINEMATICS, ExactIK(PANDA), MotionConfig(), collision=checker)
    request = MotionRequest(Scene('s', 0.0, (), 'test'))
    planned = planner.to_joints(turned(-0.4), turned(0.4), request, Context())
    assert planned.trajectory is not None, planned.detail
    assert Envelope(PANDA, cell).violation(planned.trajectory) == ''
    outside = planner.to_joints(turned(-0.4), HOME, request, Context())
    assert outside.reason is Reason.WORKSPACE_VIOLATION
    assert 'outside the workspace' in outside.detail
