# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories, images and intrinsics: to messages, over the wire, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from replan_agent_sim.sim_messages import (
    camera_info_to_msg,
    depth_to_msg,
    rgb_to_msg,
    trajectory_from_msg,
)
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from wire import over_the_wire

from replan_agent.arms import franka_numbers as franka
from replan_agent.motion.timing import time_joint_move
from replan_agent.ros.arm.trajectory_goal import trajectory_to_msg
from replan_agent.ros.messages.image_messages import (
    depth_from_msg,
    intrinsics_from_msg,
    rgb_from_msg,
)
from replan_agent.ros.messages.message_fields import MessageError

LIMITS = franka.limits('panda')
HOME = np.array(franka.HOME)
MOTION = time_joint_move(HOME, HOME + 0.3, LIMITS, 0.5, 0.5)


def received(change: Any = lambda msg: None) -> Any:
    msg = trajectory_to_msg(MOTION)
    change(msg)
    return trajectory_from_msg(over_the_wire(msg), LIMITS.names, HOME)


def test_a_trajectory_comes_back_the_same() -> None:
    back = received()
    assert back.names == MOTION.names
    assert np.allclose(back.times, MOTION.times, atol=1e-9)
    for field in ('positions', 'velocities', 'accelerations'):
        assert np.array_equal(getattr(back, field), getattr(MOTION, field))


def test_joints_may_come_in_any_order() -> None:
    def reverse(msg: Any) -> None:
        msg.joint_names.reverse()
        for point in msg.points:
            point.positions.reverse()
            point.velocities.reverse()
            point.accelerations.reverse()

    assert np.array_equal(received(reverse).positions, MOTION.positions)


def test_positions_alone_are_followed_smoothly() -> None:
    def strip(msg: Any) -> None:
        for point in msg.points:
            point.velocities, point.accelerations = [], []

    back = received(strip)
    assert np.abs(back.velocities - MOTION.velocities).max() < 0.05
    assert not back.velocities[[0, -1]].any()


def test_a_first_point_in_the_future_is_reached_from_here() -> None:
    def only_last(msg: Any) -> None:
        msg.points = msg.points[-1:]

    back = received(only_last)
    assert len(back.times) == 2 and np.array_equal(back.start, HOME)


def _set(**fields: Any) -> Any:
    def change(msg: Any) -> None:
        for name, value in fields.items():
            setattr(msg.points[-1], name, value)

    return change


@pytest.mark.parametrize(('change', 'words'), [
    (lambda msg: msg.joint_names.pop(), 'its joints are panda_joint1'),
    (lambda msg: setattr(msg, 'points', []), 'points must not be empty'),
    (_set(positions=[1.0]), 'positions need 7 numbers in every point'),
    (_set(positions=[float('nan')] * 7), 'positions must be finite'),
    (_set(time_from_start=trajectory_to_msg(MOTION).points[0].time_from_start), 'must increase'),
])
def test_a_wrong_trajectory_is_refused_with_a_reason(change: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        received(change)


def test_images_come_back_the_same() -> None:
    rng = np.random.default_rng(1)
    rgb = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    depth = rng.random((6, 8), dtype=np.float32)
    assert np.array_equal(rgb_from_msg(over_the_wire(rgb_to_msg(rgb, Header()))), rgb)
    assert np.array_equal(depth_from_msg(over_the_wire(depth_to_msg(depth, Header()))), depth)


def test_other_encodings_and_padded_rows_are_understood() -> None:
    bgra = Image(height=2, width=1, encoding='bgra8', step=6,
                 data=[3, 2, 1, 255, 0, 0, 6, 5, 4, 255, 0, 0])
    assert rgb_from_msg(bgra).tolist() == [[[1, 2, 3]], [[4, 5, 6]]]
    millimetres = Image(height=1, width=2, encoding='16UC1', step=4, data=[232, 3, 0, 0])
    assert depth_from_msg(millimetres).tolist() == [[1.0, 0.0]]
    nothing = depth_to_msg(np.array([[np.nan, np.inf]], dtype=np.float32), Header())
    assert depth_from_msg(nothing).tolist() == [[0.0, 0.0]]


def test_wrong_images_are_refused_with_a_reason() -> None:
    with pytest.raises(MessageError, match="'yuv422' is not one of: rgb8"):
        rgb_from_msg(Image(encoding='yuv422'))
    with pytest.raises(MessageError, match='3 bytes do not make 2x2 pixels'):
        rgb_from_msg(Image(encoding='rgb8', height=2, width=2, step=6, data=[0, 0, 0]))
    with pytest.raises(MessageError, match='not calibrated'):
        intrinsics_from_msg(CameraInfo())


def test_intrinsics_come_back_the_same() -> None:
    K = np.array([[300.0, 0, 79.5], [0, 301.0, 59.5], [0, 0, 1]])
    info = over_the_wire(camera_info_to_msg(K, (160, 120), Header()))
    assert np.array_equal(intrinsics_from_msg(info), K) and (info.width, info.height) == (160, 120)
