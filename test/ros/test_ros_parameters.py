# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""config/ros_sim.yaml names every parameter of every node, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_sim.all_in_one import NODES

from replan_agent.app.build.plugins import installed_names
from replan_agent.domain.config import Config, ConfigError
from replan_agent.ros.node_settings import (
    APPROVAL,
    BUDGETS,
    DRIVER,
    RISKS,
    SPEEDS,
    THRESHOLDS,
    AgentSettings,
    SkillSettings,
    as_config,
    choices,
)
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.node_process import destroy
from replan_agent.ros.rclpy_tools.parameters import WHILE_MOVING, LiveSettings, declared
from replan_agent.text.plain_values import flat

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


def named(graph: list[Node], name: str) -> Any:
    (node,) = (node for node in graph if node.get_name() == name)
    return node


def answer(node: Node, name: str, value: Any) -> Any:
    """As the service answers that `ros2 param set` calls."""
    (result,) = node.set_parameters([Parameter(name, value=value)])
    return result


def test_a_running_node_says_why_it_does_not_change_what_it_has_read(graph: list[Node]) -> None:
    for node, name, value in (('agent_node', 'planner', 'stub'),
                              ('skill_node', 'robot.model', 'fr3'),
                              ('agent_node', 'tasks.max_queued', 3),
                              ('planner_node', 'agent.max_steps', 3),
                              ('skill_node', 'workspace.x_max', 2.0), ('sim_node', 'seed', 3),
                              ('perception_node', 'joint_states', 'other'),
                              ('skill_node', 'use_sim_time', False)):
        refused = answer(named(graph, node), name, value)
        assert not refused.successful and 'read-only' in refused.reason and name in refused.reason


def test_a_descriptor_says_whether_a_parameter_may_change(graph: list[Node]) -> None:
    agent = named(graph, 'agent_node')
    changing = {name for name in own(agent) if not agent.describe_parameter(name).read_only}
    assert changing == {*BUDGETS, *APPROVAL, *SPEEDS, *THRESHOLDS, *RISKS, 'use_sim_time'}


def test_the_agent_has_the_settings_of_a_twin_or_of_a_model_only_if_it_uses_one(
        graph: list[Node], ros: Any) -> None:
    here = own(named(graph, 'agent_node'))
    assert 'ik.pos_tol' not in here and 'vlm.base_url' not in here
    node = ros.create_node('rehearses', parameter_overrides=[
        Parameter('agent.rehearse', value=True), Parameter('agent.reflection', value='model'),
        Parameter('ik.pos_tol', value=0.002), Parameter('vlm.model', value='small')])
    found = declared(node, AgentSettings)
    assert (found.ik.pos_tol, found.vlm.model) == (0.002, 'small')
    node.destroy_node()


def test_the_robot_of_a_node_is_its_driver_and_never_the_embedded_one(graph: list[Node]) -> None:
    assert as_config(AgentSettings()).robot_source == DRIVER
    assert named(graph, 'agent_node')._runner._config.robot_source == DRIVER


def test_budgets_and_approval_change_while_the_agent_runs(graph: list[Node]) -> None:
    agent = named(graph, 'agent_node')
    for name, value in (('agent.max_replans', 7), ('approval.timeout', 12.0),
                        ('approval.threshold', 0.25), ('agent.task_timeout', 60)):
        done = answer(agent, name, value)
        assert done.successful, done.reason
    runner = agent._runner
    assert runner._config.agent.max_replans == 7 and runner._config.agent.task_timeout == 60.0
    assert runner._threshold.value == 0.25 and runner._approvals.timeout_s == 12.0


def test_only_the_node_that_moves_the_arm_has_the_speed_scales(graph: list[Node]) -> None:
    for name in ('speed_scale', 'driver_speed_scale'):
        assert [node.get_name() for node in graph if name in own(node)] == ['skill_node']


def test_the_time_for_a_plan_is_a_setting_of_the_planner_too_and_changes_while_it_runs(
        graph: list[Node]) -> None:
    planner, name = named(graph, 'planner_node'), 'agent.replan_timeout'
    done = answer(planner, name, 12.0)
    assert done.successful, done.reason
    assert planner._live.now.agent.replan_timeout == 12.0
    for node in graph:
        live = getattr(node, '_live', None)
        assert live is None or live._live <= own(node).keys(), node.get_name()


def test_a_value_out_of_range_changes_nothing(graph: list[Node]) -> None:
    agent = named(graph, 'agent_node')
    for name, value in (('agent.max_steps', 0), ('approval.person_risk', 1.5),
                        ('agent.human_timeout', 'long')):
        assert not answer(agent, name, value).successful
    assert agent._runner._config.agent.max_steps == 20


def test_a_limit_falls_and_rises_only_to_what_is_configured(graph: list[Node]) -> None:
    skills, name = named(graph, 'skill_node'), 'motion.max_velocity_scaling_factor'
    configured = skills.get_parameter(name).value
    assert answer(skills, name, configured / 2).successful
    assert skills._motion.motion.max_velocity_scaling_factor == configured / 2
    refused = answer(skills, name, configured + 0.01)
    assert not refused.successful and f'above {configured:g}' in refused.reason
    assert answer(skills, name, configured).successful
    threshold = answer(named(graph, 'agent_node'), 'approval.threshold_max', 1.0)
    assert not threshold.successful and 'is a limit' in threshold.reason


def test_caution_rises_and_falls_only_to_what_is_configured(graph: list[Node]) -> None:
    agent, name = named(graph, 'agent_node'), 'approval.person_risk'
    refused = answer(agent, name, 0.0)
    assert not refused.successful and 'below 0.9' in refused.reason
    assert answer(agent, name, 1.0).successful and answer(agent, name, 0.9).successful


def test_a_limit_changes_only_while_the_arm_stands(ros: Any) -> None:
    node = ros.create_node('moves')
    live = LiveSettings(node, SkillSettings, ('agent.skill_timeout',), SPEEDS)
    live.moving = lambda: True
    refused = answer(node, SPEEDS[0], 0.05)
    assert refused.reason == f'{SPEEDS[0]} is {WHILE_MOVING}' and not refused.successful
    assert answer(node, 'agent.skill_timeout', 5.0).successful
    live.moving = lambda: False
    assert answer(node, SPEEDS[0], 0.05).successful
    assert live.now.motion.max_velocity_scaling_factor == 0.05
    node.destroy_node()


@pytest.mark.parametrize(('name', 'value', 'reason'), [
    ('planner', 'oracle', 'choose from: search, stub, vlm'),
    ('agent.max_steps', 'three', 'agent.max_steps'), ('agent.max_steps', -1, 'out of range'),
])
def test_a_wrong_parameter_is_named(ros: Any, name: str, value: Any, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as error:
        PlannerNode(parameter_overrides=[Parameter(name, value=value)])
    assert name.split('.')[-1] in str(error.value)


def test_impossible_settings_are_refused_before_anything_runs(ros: Any) -> None:
    node = ros.create_node('wrong', parameter_overrides=[Parameter('approver', value='anyone')])
    with pytest.raises(ConfigError, match='none, auto, adaptive, remote'):
        declared(node, AgentSettings)
    node.destroy_node()


def test_the_nodes_offer_the_planners_and_perceptions_of_the_embedded_agent() -> None:
    for name in ('planner', 'perception'):
        known = Config.__dataclass_fields__[name].metadata
        assert choices(name) == (*known['choices'], *installed_names(known['plug_ins']))
