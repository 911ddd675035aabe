"""config/ros_sim.yaml names every parameter of every node, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter

from replan_agent.domain.config import Config, ConfigError
from replan_agent.ros.node_settings import AgentSettings, choices
from replan_agent.ros.nodes.all_in_one import NODES
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.node_process import destroy
from replan_agent.ros.rclpy_tools.parameters import declared

FILE = Path(__file__).resolve().parents[2] / 'config' / 'ros_sim.yaml'
RCLPY_S = ('qos_overrides', 'start_type_description_service')


@pytest.fixture(scope='module')
def graph(ros: Any) -> Iterator[list[Node]]:
    """All nodes, with the parameters of the file and nothing else."""
    arguments = ['--ros-args', '--params-file', str(FILE)]
    nodes = [make(cli_args=arguments) for make in NODES]
    yield nodes
    for node in nodes:
        destroy(node)


def flat(values: dict[str, Any], prefix: str = '') -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= (flat(value, f'{prefix}{key}.') if isinstance(value, dict)
                  else {f'{prefix}{key}': value})
    return found


def in_file() -> dict[str, Any]:
    return flat(yaml.safe_load(FILE.read_text('utf-8'))['/**']['ros__parameters'])


def own(node: Node) -> dict[str, Parameter]:
    return {p.name: p for p in node.get_parameters_by_prefix('').values()
            if not p.name.startswith(RCLPY_S)}


def test_the_file_names_what_the_nodes_declare(graph: list[Node]) -> None:
    names = {name for node in graph for name in own(node)}
    assert set(in_file()) == names


def test_the_nodes_read_what_the_file_says(graph: list[Node]) -> None:
    written = in_file()
    for node in graph:
        for name, parameter in own(node).items():
            value = parameter.value
            if isinstance(written[name], list):
                value = list(value or ())  # rclpy reads [] as None
            assert value == written[name], f'{node.get_name()}: {name}'


def test_every_parameter_has_a_description(graph: list[Node]) -> None:
    for node in graph:
        for name in own(node):
            if name != 'use_sim_time':  # rclpy's own
                assert node.describe_parameter(name).description, name


def test_a_running_node_refuses_to_change_what_it_has_read(graph: list[Node]) -> None:
    (agent,) = (node for node in graph if node.get_name() == 'agent_node')
    (answer,) = agent.set_parameters([Parameter('agent.max_replans', value=7)])
    assert not answer.successful


@pytest.mark.parametrize(('name', 'value', 'reason'), [
    ('planner', 'oracle', 'choose from: search, stub, vlm'),
    ('agent.max_replans', 'three', 'agent.max_replans'),
])
def test_a_wrong_parameter_is_named(ros: Any, name: str, value: Any, reason: str) -> None:
    with pytest.raises(Exception, match=reason) as error:
        PlannerNode(parameter_overrides=[Parameter(name, value=value)])
    assert name.split('.')[-1] in str(error.value)


def test_impossible_settings_are_refused_before_anything_runs(ros: Any) -> None:
    node = ros.create_node('wrong', parameter_overrides=[Parameter('approver', value='anyone')])
    with pytest.raises(ConfigError, match='none, auto, adaptive, remote'):
        declared(node, AgentSettings)
    node.destroy_node()


def test_the_nodes_offer_only_the_perceptions_that_they_have() -> None:
    assert choices('perception') == ('ground_truth', 'camera')
    assert 'camera_vlm' in Config.__dataclass_fields__['perception'].metadata['choices']
