# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What skill_node needs of MoveIt before it plans: moveit_py, a move_group's parameters."""

from __future__ import annotations

import importlib.util
import threading
from importlib.metadata import EntryPoint
from typing import Any

import moveit_stand_in as stand_in
import pytest
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters, GetParameterTypes, ListParameters
from rclpy.parameter import Parameter
from replan_agent_moveit import moveit_paths
from replan_agent_moveit.moveit_config import configuration, for_moveit_py, require_moveit
from replan_agent_moveit.moveit_settings import MoveItSettings
from rig import overrides

from replan_agent.app.build import plugins
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy


@pytest.mark.skipif(importlib.util.find_spec('moveit') is not None, reason='moveit_py is here')
def test_without_moveit_py_the_install_command_is_named() -> None:
    with pytest.raises(ConfigError, match=r'apt-get install ros-\$ROS_DISTRO-moveit-py'):
        require_moveit()


@pytest.mark.skipif(importlib.util.find_spec('moveit') is not None, reason='moveit_py is here')
def test_a_skill_node_that_should_plan_with_moveit_says_what_to_install(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint('moveit', 'replan_agent_moveit.moveit_paths:from_parts',
                       'replan_agent.motion_planners')
    monkeypatch.setattr(plugins, 'installed', lambda group: (entry,) * (group == entry.group))
    with pytest.raises(ConfigError, match='motion_planner: moveit needs moveit_py'):
        SkillNode(parameter_overrides=[Parameter('motion_planner', value='moveit'),
                                       Parameter('safety.driver', value='sim')])


def test_its_parameters_are_those_of_the_skill_node_that_plans_with_it(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moveit_paths, 'require_moveit', lambda: None)
    given = {'motion_planner': 'moveit', 'moveit.attempts': 7, 'safety.driver': 'sim'}
    node = SkillNode(parameter_overrides=[Parameter(n, value=v) for n, v in given.items()])
    destroy(node)
    assert node._motion._tries == 7


def test_a_skill_node_that_ends_ends_what_plans_for_it(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    node, closed = SkillNode(parameter_overrides=overrides()), threading.Event()
    monkeypatch.setattr(node._motion, 'close', closed.set)
    with Spinning([node]):
        assert not closed.is_set()
    assert closed.is_set()


class MoveGroup:
    """The parameter services of a node in C++: a name without a value spoils the whole answer."""

    def __init__(self, ros: Any, parameters: dict[str, Any]) -> None:
        self.values = {name: Parameter(name, value=value).get_parameter_value()
                       for name, value in parameters.items()}
        self.values['declared.only'] = ParameterValue()
        self.node = ros.create_node('move_group', start_parameter_services=False)
        for kind, name in ((ListParameters, 'list_parameters'), (GetParameters, 'get_parameters'),
                           (GetParameterTypes, 'get_parameter_types')):
            self.node.create_service(kind, f'move_group/{name}', getattr(self, name))

    def list_parameters(self, request: Any, response: Any) -> Any:
        response.result.names = list(self.values)
        return response

    def get_parameter_types(self, request: Any, response: Any) -> Any:
        response.types = [self.values[name].type for name in request.names]
        return response

    def get_parameters(self, request: Any, response: Any) -> Any:
        asked = [self.values[name] for name in request.names]
        response.values = asked if all(value.type for value in asked) else []
        return response


def test_the_configuration_is_that_of_the_running_move_group(ros: Any) -> None:
    group, node = MoveGroup(ros, stand_in.PARAMETERS), ros.create_node('asker')
    with Spinning([group.node, node]):
        config = configuration(MoveItSettings(), node)(Context())
    assert config == for_moveit_py(stand_in.PARAMETERS)


def test_a_cancelled_skill_does_not_wait_for_a_move_group_that_is_not_there(ros: Any) -> None:
    node, cancel = ros.create_node('asker'), CancelToken()
    read = configuration(MoveItSettings(), node, wait_s=600.0)
    with Spinning([node]):
        threading.Timer(0.3, cancel.cancel, ['for a test']).start()
        with pytest.raises(Cancelled):
            read(Context(cancel))
