# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures that people watch, from a camera's topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node
from replan_agent_page.serve.watched_camera import WatchedCamera
from replan_agent_sim.sim_messages import camera_info_to_msg, rgb_to_msg
from rig import spun, until
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from replan_agent.domain.robot_state import CameraError
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.messages.message_fields import time_to_msg
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.waiting import every


def test_a_picture_that_cannot_be_read_is_no_picture(ros: Any) -> None:
    eye, seen = Node('eye'), Node('seen')
    header = Header(stamp=time_to_msg(4.0), frame_id='camera')
    picture = rgb_to_msg(np.zeros((4, 6, 3), np.uint8), header)
    broken = Image(header=header, height=4, width=6, encoding='mono8', step=6, data=[0] * 24)
    sent = [picture]
    info = camera_info_to_msg(np.eye(3), (6, 4), header)
    pictures = eye.create_publisher(Image, 'eye/color/image_raw', NEWEST)
    infos = eye.create_publisher(CameraInfo, 'eye/color/camera_info', NEWEST)
    every(eye, 0.05, lambda: (pictures.publish(sent[0]), infos.publish(info)))
    camera = WatchedCamera(seen, CameraInterfaces(
        color_image='eye/color/image_raw', camera_info='eye/color/camera_info',
        camera_pose='eye/pose'))
    with spun(eye, seen):
        assert camera.frame() is None and camera.count == 0  # it does not listen yet
        camera.listen()
        assert until(lambda: camera.count) and camera.newest()[1].shape == (4, 6, 3)
        assert camera.frame() is None and camera.projection() is None  # its place is unknown
        sent[0] = broken
        until(lambda: _why(camera))


def _why(camera: WatchedCamera) -> str:
    try:
        camera.newest()
    except CameraError as error:
        assert 'mono8' in str(error)
        return str(error)
    return ''
