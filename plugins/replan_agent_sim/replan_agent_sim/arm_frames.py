"""The frames of the simulated arm and hand, as a robot_state_publisher gives them."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from replan_agent_calibrate.published_pose import publish_camera_pose, transform_to_msg
from std_msgs.msg import Header

from replan_agent.app.calibration_file import HAND_OPTICAL_FRAME
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import RobotState
from replan_agent.ros.messages.message_fields import time_to_msg

OURS = ('hand', 'hand_tcp')


class ArmFrames:
    """Publishes links, hand and fingers on /tf, from the encoders; needs tf2_msgs.

    If the arm's description is known, its links have their own names and places; the hand and the
    tool are ours. A camera in the hand is on /tf_static. `prefix` is before each name.
    """

    def __init__(self, node: Node, arm: ArmModel, base_frame: str, prefix: str,
                 eye_in_hand: bool) -> None:
        from tf2_msgs.msg import TFMessage  # optional: needed only here

        self._message, self._arm = TFMessage, arm
        self._base_frame, self._prefix = base_frame, prefix
        self._publisher = node.create_publisher(TFMessage, '/tf', 100)
        if eye_in_hand:
            publish_camera_pose(node, '', Header(frame_id=prefix + arm.frame('hand')),
                                f'{prefix}{HAND_OPTICAL_FRAME}', arm.camera.T_hand_camera)

    def publish(self, state: RobotState) -> None:
        frames = self._named(self._arm.body_frames(state.joints, state.gripper_width))
        header = Header(stamp=time_to_msg(state.stamp), frame_id=self._base_frame)
        self._publisher.publish(self._message(transforms=[
            TransformStamped(header=header, child_frame_id=self._prefix + name,
                             transform=transform_to_msg(Pose.from_matrix(T)))
            for name, T in frames.items()]))

    def _named(self, frames: dict[str, FloatArray]) -> dict[str, FloatArray]:
        """The frames by the names that they have on /tf."""
        known = self._arm.ros.frames
        ours = OURS if known else frames
        at_base = {'link0': np.eye(4), **frames}
        return {**{name: at_base[part] @ pose.matrix() for name, part, pose in known},
                **{self._arm.frame(part): frames[part] for part in ours}}
