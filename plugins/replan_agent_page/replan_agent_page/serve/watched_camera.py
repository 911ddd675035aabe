# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera whose pictures people watch: the next one, the newest one, and how to draw into it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Image

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError
from replan_agent.ros.camera.camera_pose import NoTransform
from replan_agent.ros.camera.seen_camera import SeenCamera, checked
from replan_agent.ros.messages.image_messages import intrinsics_from_msg, rgb_from_msg
from replan_agent.ros.messages.message_fields import MessageError, nanoseconds_from


class WatchedCamera(SeenCamera):
    """It counts the pictures."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._counted = threading.Condition()
        self.count = 0  # of pictures so far

    def next(self, timeout_s: float) -> FloatArray:
        """The first picture (h, w, 3 uint8) that comes from now on. Raises CameraError."""
        self.listen()
        with self._counted:
            before = self.count
            if not self._counted.wait_for(lambda: self.count > before, timeout_s):
                raise CameraError(f'no picture on {self._names.color_image}; waited '
                                  f'{timeout_s:g} s')
        return self.newest()[1]

    def newest(self) -> tuple[int, FloatArray]:
        """The last picture that came, and its number. Raises CameraError if it is no picture."""
        with self._counted:
            number, raw = self.count, self._raw
        return number, checked(lambda: rgb_from_msg(deserialize_message(raw, Image)))

    def projection(self) -> FloatArray | None:
        """3x4: from points of the base frame to pixels; None if the camera's place is unknown."""
        info, pose = self._info, self._pose
        if info is None or pose is None:
            return None
        try:
            T_base_camera = pose.at(info.header.frame_id, nanoseconds_from(info.header.stamp))
            K = intrinsics_from_msg(info)
        except (NoTransform, MessageError):
            return None
        return np.asarray(K @ np.linalg.inv(T_base_camera.matrix())[:3])

    def _keep(self, raw: bytes) -> None:
        with self._counted:
            super()._keep(raw)
            self.count += 1
            self._counted.notify_all()
