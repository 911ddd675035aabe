# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pose of a camera for others: on its own topic, and on /tf_static."""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped, Transform, TransformStamped
from rclpy.node import Node
from std_msgs.msg import Header

from replan_agent.domain.pose import Pose
from replan_agent.ros.messages.message_fields import pose_to_msg, size_to_msg
from replan_agent.ros.rclpy_tools.qos import LATCHED


def publish_camera_pose(node: Node, topic: str, header: Header, child_frame: str,
                        T_base_camera: Pose) -> None:
    """Publish it once, latched: on `topic`, if any, and on /tf_static if tf2_msgs is installed."""
    if topic:
        node.create_publisher(PoseStamped, topic, LATCHED).publish(
            PoseStamped(header=header, pose=pose_to_msg(T_base_camera)))
    try:
        from tf2_msgs.msg import TFMessage
    except ImportError:
        node.get_logger().info('tf2_msgs is not installed: the camera is not on /tf_static')
        return
    node.create_publisher(TFMessage, '/tf_static', LATCHED).publish(TFMessage(transforms=[
        TransformStamped(header=header, child_frame_id=child_frame,
                         transform=transform_to_msg(T_base_camera))]))


def transform_to_msg(pose: Pose) -> Transform:
    return Transform(translation=size_to_msg(pose.position),
                     rotation=pose_to_msg(pose).orientation)
