# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What we ask of tf2_ros, of the installed one or of the stand-in."""

from __future__ import annotations

from typing import Any

import pytest
import tf2_ros
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time

from replan_agent.domain.pose import Pose
from replan_agent.ros.messages.message_fields import pose_from_msg, pose_to_msg, time_to_msg

TURNED = Pose.from_rpy(0.3, 0.1, 0.5, yaw=1.5)
UP = Pose((0.0, 0.0, 0.1))


def link(parent: str, child: str, pose: Pose, seconds: float = 0.0) -> TransformStamped:
    msg, at = TransformStamped(child_frame_id=child), pose_to_msg(pose)
    msg.header.frame_id, msg.header.stamp = parent, time_to_msg(seconds)
    p = msg.transform.translation
    p.x, p.y, p.z = at.position.x, at.position.y, at.position.z
    msg.transform.rotation = at.orientation
    return msg


def told(*links: TransformStamped, fixed: bool = False) -> Any:
    buffer = tf2_ros.Buffer()
    for one in links:
        (buffer.set_transform_static if fixed else buffer.set_transform)(one, 'test')
    return buffer


def found(buffer: Any, base: str, frame: str, seconds: float = 0.0) -> Pose:
    pose = buffer.lookup_transform(base, frame, Time(nanoseconds=round(seconds * 1e9))).transform
    msg = pose_to_msg(Pose((pose.translation.x, pose.translation.y, pose.translation.z)))
    msg.orientation = pose.rotation
    return pose_from_msg(msg, frame)


def test_a_chain_is_multiplied_both_ways() -> None:
    buffer = told(link('hand', 'camera', UP), link('base', 'hand', TURNED), fixed=True)
    T = TURNED.matrix() @ UP.matrix()
    assert found(buffer, 'base', 'camera', 7.0).matrix() == pytest.approx(T)
    assert found(buffer, 'camera', 'base').matrix() @ T == pytest.approx(Pose((0, 0, 0)).matrix())


def test_two_branches_are_related_by_what_they_have_in_common() -> None:
    buffer = told(link('world', 'base', UP), link('world', 'camera', Pose((1.0, 2.0, 3.0))),
                  fixed=True)
    assert found(buffer, 'base', 'camera').position == pytest.approx((1.0, 2.0, 2.9))


def test_what_moves_is_where_it_was_at_the_time() -> None:
    buffer = told(*(link('base', 'camera', Pose.from_rpy(s, 0, 0, yaw=0.1 * s), s)
                    for s in (0.0, 1.0, 2.0)))
    at = found(buffer, 'base', 'camera', 1.25)
    assert at.position == pytest.approx((1.25, 0, 0)) and at.yaw == pytest.approx(0.125, abs=1e-4)


@pytest.mark.parametrize(('base', 'frame', 'seconds'), [
    ('base', 'camera', 3.0), ('base', 'camera', 0.5), ('base', 'nothing', 1.0),
    ('base', 'far', 1.0)])
def test_what_is_not_known_is_refused(base: str, frame: str, seconds: float) -> None:
    buffer = told(link('base', 'camera', UP, 1.0), link('base', 'camera', UP, 2.0),
                  link('away', 'far', UP, 1.0))
    with pytest.raises(tf2_ros.TransformException):
        found(buffer, base, frame, seconds)


def test_time_starts_again_after_a_clear_and_what_is_fixed_stays() -> None:
    buffer = told(link('base', 'camera', TURNED, 100.0))
    buffer.set_transform_static(link('camera', 'lens', UP), 'test')
    buffer.clear()
    buffer.set_transform(link('base', 'camera', UP, 1.0), 'test')
    assert found(buffer, 'base', 'lens', 1.0).position == pytest.approx((0, 0, 0.2))
