"""The pose of the camera: on its own topic, or on /tf and /tf_static."""

from __future__ import annotations

import threading
from typing import Any

from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from replan_agent.domain.pose import Pose
from replan_agent.ros.arm.arm_interfaces import ColourCamera
from replan_agent.ros.messages import message_fields as fields
from replan_agent.ros.rclpy_tools.qos import LATCHED

from .frame_tree import FrameTree, NoTransform

TF = QoSProfile(depth=100)
TF_STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


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
    """The pose of a camera that may move, from TF. Needs tf2_msgs, but not tf2_ros."""

    def __init__(self, node: Node, base_frame: str) -> None:
        from tf2_msgs.msg import TFMessage  # optional: needed only here

        self._base_frame, self._log = base_frame, node.get_logger()
        self._lock = threading.Lock()
        self._tree = FrameTree()
        for topic, qos, fixed in (('/tf', TF, False), ('/tf_static', TF_STATIC, True)):
            node.create_subscription(TFMessage, topic, self._listener(fixed), qos,
                                     callback_group=MutuallyExclusiveCallbackGroup())

    def at(self, frame: str, stamp_ns: int) -> Pose:
        with self._lock:
            return self._tree.pose(self._base_frame, frame, stamp_ns)

    def _listener(self, fixed: bool) -> Any:
        def listen(message: Any) -> None:
            with self._lock:
                for transform in message.transforms:
                    self._add(transform, fixed)

        return listen

    def _add(self, link: TransformStamped, fixed: bool) -> None:
        at, turn = link.transform.translation, link.transform.rotation
        pose = PoseMsg(position=fields.point_to_msg((at.x, at.y, at.z)), orientation=turn)
        try:
            self._tree.add(link.header.frame_id, link.child_frame_id,
                           fields.pose_from_msg(pose, f'transform of {link.child_frame_id}'),
                           fields.nanoseconds_from(link.header.stamp), fixed)
        except fields.MessageError as error:
            self._log.warning(str(error), throttle_duration_sec=10.0)


# `at` gives T_base_camera of an optical frame at a moment; raises NoTransform if it is unknown.
CameraPose = TopicPose | TfPose
