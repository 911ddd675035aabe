# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The newest picture of a camera's topics, for the record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CameraInfo, Image

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.ros.arm.arm_interfaces import ColourCamera
from replan_agent.ros.messages.image_messages import intrinsics_from_msg, rgb_from_msg
from replan_agent.ros.messages.message_fields import MessageError, nanoseconds_from, time_from_msg
from replan_agent.ros.rclpy_tools.qos import NEWEST

from .camera_pose import CameraPose, NoTransform, camera_pose

OLD_S = 3.0  # a picture that arrived longer ago does not show what is now
NO_DEPTH: FloatArray = np.zeros((0, 0), np.float32)


class SeenCamera:
    """Colour pictures as they come; only those that are used are decoded.

    Without a `base_frame` the camera's pose counts in whatever frame it is. It subscribes with
    `listen`: a simulated camera draws only while somebody listens. It never unsubscribes:
    destroying a subscription may crash a running executor.
    """

    def __init__(self, node: Node, names: ColourCamera, base_frame: str = '') -> None:
        self._node, self._names, self._base_frame = node, names, base_frame
        self._changed = threading.Lock()
        self._raw, self._arrived = b'', 0.0
        self._info: CameraInfo | None = None
        self._pose: CameraPose | None = None
        self._last: CameraFrame | None = None

    def listen(self) -> None:
        """Get pictures from now on."""
        with self._changed:
            if self._pose is not None or not self._names.color_image:
                return
            self._pose = camera_pose(self._node, self._names, self._base_frame)
        group = MutuallyExclusiveCallbackGroup()
        self._node.create_subscription(Image, self._names.color_image, self._keep, NEWEST,
                                       callback_group=group, raw=True)
        self._node.create_subscription(CameraInfo, self._names.camera_info, self._keep_info,
                                       NEWEST, callback_group=group)

    def frame(self) -> CameraFrame | None:
        """The last picture, with the camera's place; None if there is no new one or no place.

        A picture of the same moment is the same object. Raises CameraError.
        """
        with self._changed:
            raw, info, pose = self._raw, self._info, self._pose
            is_old = time.monotonic() - self._arrived > OLD_S
        if not raw or info is None or pose is None or is_old:
            return None
        picture = checked(lambda: deserialize_message(raw, Image))
        stamp = time_from_msg(picture.header.stamp)
        if self._last is None or self._last.stamp != stamp:
            try:
                T_base_camera = pose.at(picture.header.frame_id,
                                        nanoseconds_from(picture.header.stamp))
            except NoTransform:
                return None
            self._last = CameraFrame(stamp, checked(lambda: rgb_from_msg(picture)), NO_DEPTH,
                                     checked(lambda: intrinsics_from_msg(info)), T_base_camera)
        return self._last

    def _keep(self, raw: bytes) -> None:
        with self._changed:
            self._raw, self._arrived = raw, time.monotonic()

    def _keep_info(self, info: CameraInfo) -> None:
        self._info = info


def checked(call: Callable[[], Any]) -> Any:
    """The value of the call; a message that cannot be read is a CameraError."""
    try:
        return call()
    except MessageError as error:
        raise CameraError(str(error)) from error
