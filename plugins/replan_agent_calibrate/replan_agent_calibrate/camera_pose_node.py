# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""camera_pose_node: publishes the pose of a fixed camera from `replan-agent calibrate`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Header

from replan_agent.domain.config import ConfigError, setting
from replan_agent.domain.pose import Pose
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import declared

from .published_pose import publish_camera_pose

NAME = 'camera_pose_node'
UNIT_TOLERANCE = 1e-3


@dataclass(frozen=True)
class CameraCalibration:
    """The pose, named as in static_transform_publisher; the optical frame looks along its z."""

    frame_id: str = setting('', "the arm's base frame")
    child_frame_id: str = setting('camera_color_optical_frame', "the camera's optical frame")
    x: float = setting(0.0, 'm', -10, 10)
    y: float = setting(0.0, 'm', -10, 10)
    z: float = setting(0.0, 'm', -10, 10)
    qx: float = setting(0.0, 'of the unit quaternion', -1, 1)
    qy: float = setting(0.0, 'of the unit quaternion', -1, 1)
    qz: float = setting(0.0, 'of the unit quaternion', -1, 1)
    qw: float = setting(0.0, 'of the unit quaternion', -1, 1)

    def pose(self) -> Pose:
        """T_base_camera; raises ConfigError if it is not valid."""
        length = math.hypot(self.qx, self.qy, self.qz, self.qw)
        if not self.frame_id or abs(length - 1) > UNIT_TOLERANCE:
            raise ConfigError('camera_calibration: frame_id and a unit quaternion are needed, as '
                              f'replan-agent calibrate writes them; frame_id is '
                              f'{self.frame_id!r}, the length {length:.3f}')
        return Pose((self.x, self.y, self.z), (self.qw, self.qx, self.qy, self.qz))


@dataclass(frozen=True)
class CameraPoseSettings:
    camera_calibration: CameraCalibration = field(default_factory=CameraCalibration)
    camera_pose: str = setting(CameraInterfaces().camera_pose, "latched topic of the camera's "
                               'pose; empty: only on /tf_static')


class CameraPoseNode(Node):
    """Publishes the pose once, latched, on `camera_pose` and on /tf_static."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        settings = declared(self, CameraPoseSettings)
        calibration = settings.camera_calibration
        header = Header(stamp=self.get_clock().now().to_msg(), frame_id=calibration.frame_id)
        publish_camera_pose(self, settings.camera_pose, header, calibration.child_frame_id,
                            calibration.pose())
        self.get_logger().info(f'{calibration.child_frame_id} in {calibration.frame_id}: '
                               f'{calibration.x:.4f} {calibration.y:.4f} {calibration.z:.4f} m')


main = program(lambda: [CameraPoseNode()])

if __name__ == '__main__':
    main()
