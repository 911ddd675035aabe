"""Frames in each other, as transforms tell them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.domain.pose import Pose
from replan_agent.ros.camera.frame_tree import KEPT_NS, FrameTree, NoTransform

SECOND = 1_000_000_000
TURNED = Pose.from_rpy(0.3, 0.1, 0.5, yaw=math.pi / 2)


def test_a_chain_is_multiplied_whatever_the_order_it_was_told_in():
    tree = FrameTree()
    tree.add('hand', 'camera', Pose((0.0, 0.0, 0.1)), 0, fixed=True)
    tree.add('base', 'hand', TURNED, 0, fixed=True)
    found = tree.pose('base', 'camera', 7 * SECOND)
    assert np.allclose(found.matrix(), TURNED.matrix() @ Pose((0.0, 0.0, 0.1)).matrix())
    assert np.allclose(tree.pose('camera', 'base', 0).matrix(), np.linalg.inv(found.matrix()))
    assert np.allclose(tree.pose('base', 'base', 0).matrix(), np.eye(4))


def test_two_branches_of_a_tree_are_related_by_what_they_have_in_common():
    tree = FrameTree()
    tree.add('world', 'base', TURNED, 0, fixed=True)
    tree.add('/world', '/camera', Pose((1.0, 2.0, 3.0)), 0, fixed=True)
    expected = np.linalg.inv(TURNED.matrix()) @ Pose((1.0, 2.0, 3.0)).matrix()
    assert np.allclose(tree.pose('base', 'camera', 0).matrix(), expected)


def test_what_moves_is_where_it_was_when_the_picture_was_taken():
    tree = FrameTree()
    for second in range(3):
        tree.add('base', 'camera', Pose.from_rpy(second, 0, 0, yaw=0.1 * second),
                 second * SECOND, fixed=False)
    found = tree.pose('base', 'camera', SECOND * 5 // 4)
    assert found.position == pytest.approx((1.25, 0, 0))
    assert found.yaw == pytest.approx(0.125, abs=1e-5)
    assert tree.pose('base', 'camera', 2 * SECOND).position == (2, 0, 0)


def test_a_turn_goes_the_short_way_whatever_the_sign_of_the_quaternion():
    tree = FrameTree()
    after = Pose.from_rpy(0, 0, 0, yaw=0.2)
    tree.add('base', 'camera', Pose.from_rpy(0, 0, 0), 0, fixed=False)
    tree.add('base', 'camera', Pose((0, 0, 0), tuple(-q for q in after.quaternion)), SECOND,
             fixed=False)
    assert tree.pose('base', 'camera', SECOND // 2).yaw == pytest.approx(0.1)


@pytest.mark.parametrize(('stamp', 'why'), [
    (3 * SECOND, 'the last transform of camera is 2.000 s older than the picture'),
    (SECOND // 2, 'the first transform of camera is 0.500 s newer than the picture'),
])
def test_a_pose_outside_the_known_moments_is_not_guessed(stamp, why):
    tree = FrameTree()
    tree.add('base', 'camera', Pose((1.0, 0, 0)), SECOND, fixed=False)
    with pytest.raises(NoTransform, match=why):
        tree.pose('base', 'camera', stamp)


def test_frames_without_a_way_between_them_are_named():
    tree = FrameTree()
    tree.add('base', 'hand', TURNED, 0, fixed=True)
    with pytest.raises(NoTransform, match="no way from 'camera' to 'base'; .*: hand"):
        tree.pose('base', 'camera', 0)


def test_a_loop_of_frames_does_not_hang():
    tree = FrameTree()
    tree.add('a', 'b', TURNED, 0, fixed=True)
    tree.add('b', 'a', TURNED, 0, fixed=True)
    with pytest.raises(NoTransform, match='no way'):
        tree.pose('base', 'a', 0)


def test_what_is_long_past_is_forgotten_and_time_may_start_again():
    tree = FrameTree()
    tree.add('base', 'camera', Pose((1.0, 0, 0)), 100 * SECOND, fixed=False)
    tree.add('base', 'camera', Pose((2.0, 0, 0)), 101 * SECOND + KEPT_NS, fixed=False)
    with pytest.raises(NoTransform, match='the first transform'):
        tree.pose('base', 'camera', 100 * SECOND)
    tree.add('base', 'camera', Pose((3.0, 0, 0)), SECOND, fixed=False)
    assert tree.pose('base', 'camera', SECOND).position == (3.0, 0, 0)


def test_a_camera_that_is_mounted_elsewhere_has_only_its_new_place():
    tree = FrameTree()
    tree.add('base', 'camera', Pose((1.0, 0, 0)), 0, fixed=True)
    tree.add('base', 'hand', Pose((0, 0, 1.0)), 0, fixed=True)
    tree.add('hand', 'camera', Pose((0, 0, 1.0)), 0, fixed=True)
    assert tree.pose('base', 'camera', 0).position == (0, 0, 2.0)
