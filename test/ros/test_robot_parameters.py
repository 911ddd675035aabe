"""robot.yaml, gazebo.yaml and a calibration name only parameters that nodes declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from rig import finished
from tf2_msgs.msg import TFMessage

from replan_agent.app.calibration_file import calibration_text
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.ros.messages.message_fields import pose_from_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.camera_pose_node import CameraPoseNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy
from replan_agent.ros.rclpy_tools.qos import LATCHED

ROOT = Path(__file__).resolve().parents[2]
GAZEBO = ROOT / 'plugins' / 'replan_agent_gazebo' / 'config'
CAMERA = GAZEBO / 'camera.yaml'
NODES = (PerceptionNode, PlannerNode, SkillNode, AgentNode, CameraPoseNode)


def flat(values: dict[str, Any], prefix: str = '') -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= (flat(value, f'{prefix}{key}.') if isinstance(value, dict)
                  else {f'{prefix}{key}': value})
    return found


def in_file(path: Path) -> dict[str, Any]:
    return flat(yaml.safe_load(path.read_text('utf-8'))['/**']['ros__parameters'])


@pytest.mark.parametrize('file', [ROOT / 'config' / 'robot.yaml', GAZEBO / 'gazebo.yaml'],
                         ids=lambda file: file.name)
def test_the_nodes_read_all_that_the_file_says(ros: Any, file: Path) -> None:
    files = [file, CAMERA]
    arguments = ['--ros-args', *(word for file in files for word in ('--params-file', str(file)))]
    nodes: list[Node] = [make(cli_args=arguments) for make in NODES]
    try:
        for key, value in {**in_file(files[0]), **in_file(CAMERA)}.items():
            readers = [node for node in nodes if node.has_parameter(key)]
            assert readers, f'{file.name}: no node declares {key}'
            for node in readers:
                read = node.get_parameter(key).value
                assert (list(read or ()) if isinstance(value, list) else read) == value, key
    finally:
        for node in nodes:
            destroy(node)


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
