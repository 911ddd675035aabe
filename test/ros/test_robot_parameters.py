# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robot.yaml, gazebo.yaml and a calibration name only parameters that nodes declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node
from replan_agent_calibrate.camera_pose_node import CameraPoseNode

from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.node_process import destroy
from replan_agent.text.plain_values import flat

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / 'config'
GAZEBO = ROOT / 'plugins' / 'replan_agent_gazebo' / 'config'
CAMERA = GAZEBO / 'camera.yaml'
NODES = (PerceptionNode, PlannerNode, SkillNode, AgentNode, CameraPoseNode)


def in_file(path: Path) -> dict[str, Any]:
    return flat(yaml.safe_load(path.read_text('utf-8'))['/**']['ros__parameters'])


@pytest.mark.parametrize('file', [CONFIG / 'robot.yaml', GAZEBO / 'gazebo.yaml'],
                         ids=lambda file: file.name)
def test_the_nodes_read_all_that_the_file_says(ros: Any, file: Path) -> None:
    names = [CONFIG / 'franka' / 'names.yaml'] if file.name == 'robot.yaml' else []
    files = [file, CAMERA, *names]
    arguments = ['--ros-args', *(word for file in files for word in ('--params-file', str(file)))]
    nodes: list[Node] = [make(cli_args=arguments) for make in NODES]
    try:
        for key, value in {key: value for file in files
                           for key, value in in_file(file).items()}.items():
            readers = [node for node in nodes if node.has_parameter(key)]
            assert readers, f'{file.name}: no node declares {key}'
            for node in readers:
                read = node.get_parameter(key).value
                assert (list(read or ()) if isinstance(value, list) else read) == value, key
    finally:
        for node in nodes:
            destroy(node)
