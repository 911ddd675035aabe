# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pose of the camera: on its own topic, or on /tf and /tf_static."""

from __future__ import annotations

from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time

from replan_agent.domain.pose import Pose
from replan_agent.ros.arm.arm_interfaces import ColourCamera
from replan_agent.ros.messages import message_fields as fields
from replan_agent.ros.rclpy_tools.qos import LATCHED


class NoTransform(Exception):
    """The pose of a frame in another is unknown, or unknown at that moment; says why."""


def camera_pose(node: Node, interfaces: ColourCamera, base_frame: str) -> CameraPose:
    """From the topic `camera_pose`, or from TF if that setting is empty."""
    if interfaces.camera_pose:
        return TopicPose(node, interfaces.camera_pose, base_frame)
    return TfPose(node, base_frame)


class TopicPose:
    """The pose of a camera that does not move, from a latched topic.

    Without a `base_frame` it may be in any frame.
    """

    def __init__(self, node: Node, topic: str, base_frame: str) -> None:
        self._topic, self._base_frame = topic, base_frame
        self._last: PoseStamped | None = None
        node.create_subscription(PoseStamped, topic, self._keep, LATCHED,
                                 callback_group=MutuallyExclusiveCallbackGroup())

    def at(self, frame: str, stamp_ns: int) -> Pose:
        last = self._last
        if last is None:
            raise NoTransform(f'nothing on {self._topic}')
        if self._base_frame and last.header.frame_id != self._base_frame:
            raise NoTransform(f'{self._topic} has the pose in {last.header.frame_id!r}, not in '
                              f'{self._base_frame!r}')
        return fields.pose_from_msg(last.pose, 'camera pose')

    def _keep(self, pose: PoseStamped) -> None:
        self._last = pose


class TfPose:
    """The pose of a camera that may move, from TF; needs tf2_ros."""

    def __init__(self, node: Node, base_frame: str) -> None:
        import tf2_ros  # optional: needed only here

        self._base_frame, self._buffer = base_frame, tf2_ros.Buffer()
        self._unknown = tf2_ros.TransformException
        self._listener = tf2_ros.TransformListener(self._buffer, node)
        # A simulation that starts again begins at 0: what is newer would hide its transforms.
        self._jumps = node.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1)),
            post_callback=lambda _: self._buffer.clear())

    def at(self, frame: str, stamp_ns: int) -> Pose:
        try:
            found = self._buffer.lookup_transform(self._base_frame, frame.lstrip('/'),
                                                  Time(nanoseconds=stamp_ns)).transform
        except self._unknown as error:
            raise NoTransform(str(error)) from error
        at = found.translation
        return fields.pose_from_msg(PoseMsg(
            position=fields.point_to_msg((at.x, at.y, at.z)), orientation=found.rotation), frame)


# `at` gives T_base_camera of an optical frame at a moment; raises NoTransform if it is unknown.
CameraPose = TopicPose | TfPose
