# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The frames of the simulated arm and hand, as a robot_state_publisher gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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

BASE, OURS = 'link0', ('hand', 'hand_tcp')


class Frame(NamedTuple):
    """A frame on /tf: on which part of ours it is, and where in it; '' is the base as `below`."""

    name: str
    part: str
    T_part_frame: FloatArray
    below: str


class ArmFrames:
    """Publishes links, hand and fingers on /tf, each below the one that carries it.

    They are from the encoders; needs tf2_msgs. If the arm's description is known, its links have
    their own names and places; the hand and the tool are ours. A camera in the hand is on
    /tf_static. `prefix` is before each name.
    """

    def __init__(self, node: Node, arm: ArmModel, base_frame: str, prefix: str,
                 eye_in_hand: bool) -> None:
        from tf2_msgs.msg import TFMessage  # optional: needed only here

        self._message, self._arm, self._tree = TFMessage, arm, tuple(tree(arm))
        self._base_frame, self._prefix = base_frame, prefix
        self._publisher = node.create_publisher(TFMessage, '/tf', 100)
        if eye_in_hand:
            publish_camera_pose(node, '', Header(frame_id=prefix + arm.frame('hand')),
                                f'{prefix}{HAND_OPTICAL_FRAME}', arm.camera.T_hand_camera)

    def publish(self, state: RobotState) -> None:
        parts = self._arm.body_frames(state.joints, state.gripper_width) | {BASE: np.eye(4)}
        at = {'': np.eye(4)} | {frame.name: parts[frame.part] @ frame.T_part_frame
                                for frame in self._tree}
        self._publisher.publish(self._message(transforms=[
            TransformStamped(
                header=Header(stamp=time_to_msg(state.stamp), frame_id=(
                    self._prefix + below if below else self._base_frame)),
                child_frame_id=self._prefix + name, transform=transform_to_msg(Pose.from_matrix(
                    np.linalg.inv(at[below]) @ at[name])))
            for name, _, _, below in self._tree]))


def tree(arm: ArmModel) -> Iterator[Frame]:
    """All frames. Each is below the first one of its part, or of the part that carries that."""
    carrier = arm.carriers
    parts = OURS if arm.ros.frames else carrier
    named = [*((arm.frame(part), part, np.eye(4)) for part in parts),
             *((name, part, pose.matrix()) for name, part, pose in arm.ros.frames)]
    first = {BASE: ''}
    for name, part, _ in named:
        first.setdefault(part, name)
    for name, part, T in named:
        above = carrier[part] if first[part] == name else part
        while above not in first:
            above = carrier[above]
        yield Frame(name, part, T, first[above])
