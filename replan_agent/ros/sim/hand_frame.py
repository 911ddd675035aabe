"""The frames of the simulated hand and its camera, as a robot_state_publisher gives them."""

from __future__ import annotations

from geometry_msgs.msg import Transform, TransformStamped
from rclpy.node import Node
from std_msgs.msg import Header

from replan_agent.app.calibration_file import HAND_OPTICAL_FRAME
from replan_agent.domain.hand_camera import T_HAND_CAMERA, T_TCP_HAND
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import RobotState
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.ros.camera.camera_pose_publisher import publish_camera_pose
from replan_agent.ros.messages.message_fields import pose_to_msg, size_to_msg, time_to_msg


class HandFrame:
    """Publishes the hand on /tf, from the joints, and its camera on /tf_static."""

    def __init__(self, node: Node, model: str, base_frame: str) -> None:
        from tf2_msgs.msg import TFMessage  # optional: needed only here

        self._message = TFMessage
        self._kinematics = FrankaKinematics(model)
        self._base_frame, self._hand = base_frame, f'{model}_hand'
        self._publisher = node.create_publisher(TFMessage, '/tf', 100)
        publish_camera_pose(node, '', Header(frame_id=self._hand), HAND_OPTICAL_FRAME,
                            T_HAND_CAMERA)

    def publish(self, state: RobotState) -> None:
        pose = pose_to_msg(Pose.from_matrix(self._kinematics.forward(state.joints) @ T_TCP_HAND))
        p = pose.position
        moved = Transform(translation=size_to_msg((p.x, p.y, p.z)), rotation=pose.orientation)
        header = Header(stamp=time_to_msg(state.stamp), frame_id=self._base_frame)
        self._publisher.publish(self._message(transforms=[
            TransformStamped(header=header, child_frame_id=self._hand, transform=moved)]))
