# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""camera_pose_node publishes where a calibrated camera is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from replan_agent_calibrate.calibration_text import calibration_text
from replan_agent_calibrate.camera_pose_node import CameraPoseNode
from rig import finished
from tf2_msgs.msg import TFMessage

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.ros.messages.message_fields import pose_from_msg
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED


def test_a_late_subscriber_gets_the_camera_pose(ros: Any, tmp_path: Path) -> None:
    pose = Pose.from_rpy(0.9, -0.3, 0.7, -2.2, 0.1, 1.4)
    file = tmp_path / 'camera.yaml'
    file.write_text(calibration_text(pose, 'fr3_link0', 'optical'), 'utf-8')
    node = CameraPoseNode(cli_args=['--ros-args', '--params-file', str(file)])
    late = ros.create_node('late')
    received: dict[str, Any] = {}
    with Spinning([node, late]):
        for key, kind, topic in (('pose', PoseStamped, 'camera/pose'),
                                 ('tf', TFMessage, '/tf_static')):
            arrived = ros.task.Future()
            late.create_subscription(kind, topic, lambda m, f=arrived: f.set_result(m), LATCHED)
            received[key] = finished(arrived)
    message = received['pose']
    assert message.header.frame_id == 'fr3_link0'
    seen = pose_from_msg(message.pose, 'pose')
    assert seen.position == pytest.approx(pose.position, abs=1e-6)
    assert seen.quaternion == pytest.approx(pose.quaternion, abs=1e-6)
    (transform,) = received['tf'].transforms
    assert transform.child_frame_id == 'optical'
    assert transform.transform.translation.x == pytest.approx(0.9)


def test_a_camera_that_was_never_calibrated_is_refused(ros: Any) -> None:
    with pytest.raises(ConfigError, match='unit quaternion'):
        CameraPoseNode(parameter_overrides=[
            Parameter('camera_calibration.frame_id', value='fr3_link0')])
