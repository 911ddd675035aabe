# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""config/replan_agent.rviz and foxglove_layout.json show topics that our nodes publish."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node
from replan_agent_calibrate.camera_pose_node import CameraPoseNode
from replan_agent_sim.all_in_one import NODES

from replan_agent.ros.rclpy_tools.node_process import destroy

CONFIG = Path(__file__).resolve().parents[2] / 'config'
OF_OTHERS = {'robot_description': 'std_msgs/msg/String'}  # of robot_state_publisher
MARKERS = {'markers', 'plan_markers', 'ik_markers', 'grasp_markers'}
LATCHED = {'robot_description', *MARKERS, 'camera/pose'}
SHOWN_BY = {
    'rviz_default_plugins/RobotModel': 'std_msgs/msg/String',
    'rviz_default_plugins/MarkerArray': 'visualization_msgs/msg/MarkerArray',
    'rviz_default_plugins/Pose': 'geometry_msgs/msg/PoseStamped',
    'rviz_default_plugins/Image': 'sensor_msgs/msg/Image',
}


@pytest.fixture(scope='module')
def graph(ros: Any) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """The topics that our nodes publish and the services that they serve, with their types."""
    arguments = ['--ros-args', '--params-file', str(CONFIG / 'ros_sim.yaml'), '--params-file',
                 str(CONFIG.parent / 'plugins' / 'replan_agent_gazebo' / 'config' / 'camera.yaml')]
    nodes: list[Node] = [make(cli_args=arguments) for make in (*NODES, CameraPoseNode)]
    topics = {p.topic_name: p.msg_type for node in nodes for p in node.publishers}
    services = {s.service_name: s.srv_type for node in nodes for s in node.services}
    yield ({name: type_name(kind, 'msg') for name, kind in topics.items()},
           {name: type_name(kind, 'srv') for name, kind in services.items()})
    for node in nodes:
        destroy(node)


def type_name(kind: type, part: str) -> str:
    return f'{kind.__module__.split(".")[0]}/{part}/{kind.__name__}'


def test_rviz_shows_topics_of_the_graph_with_the_right_display(graph: Any) -> None:
    topics = {name.lstrip('/'): kind for name, kind in graph[0].items()} | OF_OTHERS
    view = yaml.safe_load((CONFIG / 'replan_agent.rviz').read_text('utf-8'))
    shown = {}
    for display in view['Visualization Manager']['Displays']:
        topic = display.get('Topic') or display.get('Description Topic')
        if topic:
            shown[topic['Value']] = display['Class']
            durable = topic['Durability Policy'] == 'Transient Local'
            assert durable == (topic['Value'] in LATCHED), topic['Value']
    assert {*MARKERS, 'camera/color/image_raw'} <= set(shown)
    for name, display in shown.items():
        assert topics.get(name) == SHOWN_BY[display], name


def test_foxglove_shows_topics_and_calls_services_of_the_graph(graph: Any) -> None:
    topics, services = graph
    layout = json.loads((CONFIG / 'foxglove_layout.json').read_text('utf-8'))
    named = set(texts(layout, ('topicPath', 'imageTopic', 'calibrationTopic', 'topicToRender')))
    named |= set(layout['configById']['3D!scene']['topics'])
    named = {name.split('.')[0] for name in named}
    assert named <= set(topics), named - set(topics)
    assert {'/markers', '/agent_node/plan', '/events', '/diagnostics', '/scene'} <= named
    called = set(texts(layout, ('serviceName',)))
    assert called == {'/stop', '/reset_stop'} and called <= set(services)


def test_foxglove_lays_out_every_panel_once() -> None:
    layout = json.loads((CONFIG / 'foxglove_layout.json').read_text('utf-8'))
    assert sorted(leaves(layout['layout'])) == sorted(layout['configById'])


def texts(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in keys:
                yield inner
            else:
                yield from texts(inner, keys)


def leaves(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    else:
        yield from leaves(node['first'])
        yield from leaves(node['second'])
