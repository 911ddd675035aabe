# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's configuration for the planner, taken from move_group or from a file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.text.plain_values import flat
from replan_agent.text.yaml_text import read_yaml

from .moveit_description import completed, described
from .moveit_settings import MoveItSettings

if TYPE_CHECKING:
    from rclpy.node import Node

OMPL, PILZ = 'ompl', 'pilz_industrial_motion_planner'
PACKAGES = ('moveit-py', 'moveit-planners-ompl', 'pilz-industrial-motion-planner',
            'moveit-kinematics')
INSTALL = ('sudo apt-get install ' + ' '.join(f'ros-$ROS_DISTRO-{name}' for name in PACKAGES)
           + ' (Jazzy or newer; not in Humble)')
NODE = 'replan_agent_moveit'
DESCRIPTIONS = ('robot_description', 'robot_description_semantic')
NAMELESS = 'move_group'  # where a move_group with one pipeline has the pipeline's parameters
PLUGINS = {OMPL: 'ompl_interface/OMPLPlanner',
           PILZ: 'pilz_industrial_motion_planner/CommandPlanner'}
# Only the path counts, our timing follows. So nothing of MoveIt cuts its corners, and straight
# lines are slow: 5 mm between two points (every 0.1 s), far below every joint limit.
BEFORE = ('ResolveConstraintFrames', 'ValidateWorkspaceBounds', 'CheckStartStateBounds',
          'CheckStartStateCollision')
AFTER = ('ValidateSolution',)
CARTESIAN = {'max_trans_vel': 0.05, 'max_trans_acc': 0.1, 'max_trans_dec': -0.1,
             'max_rot_vel': 0.3}
CHECKED_SHARE = 0.002  # of the joint space, between two collision checks of OMPL
# A request without these is answered with a warning for each.
REQUEST = {'planner_id': '', 'planning_pipeline': OMPL, 'planning_time': 1.0,
           'planning_attempts': 1, 'max_velocity_scaling_factor': 1.0,
           'max_acceleration_scaling_factor': 1.0}
# move_group publishes the topic of this name.
TOPICS = {'monitored_planning_scene': f'{NODE}/monitored_planning_scene'}
# Every node declares these itself.
OWN = ('start_type_description_service',)

Parameters = Callable[[Context], dict[str, Any]]


def require_moveit() -> None:
    """Raises ConfigError with the install command if moveit_py is missing."""
    try:
        found = importlib.util.find_spec('moveit.planning')
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ConfigError(f'motion_planner: moveit needs moveit_py; install it: {INSTALL}')


def configuration(settings: MoveItSettings, node: Node | None = None, wait_s: float = 10.0,
                  arm: ArmModel | None = None) -> Parameters:
    """A function that reads the parameters of the file or of move_group, for moveit_py.

    What they lack is made from the arm; without a file and a move_group, all of it is. It may
    wait for answers to `node`, so it must not run in the thread that spins it.
    """
    def made(given: Mapping[str, Any]) -> dict[str, Any]:
        return for_moveit_py(completed(given, arm, settings) if arm else given)

    if settings.parameters_file:
        return lambda ctx: made(parameters_in(Path(settings.parameters_file)))
    if not settings.move_group and arm is not None:
        return lambda ctx: made(described(arm))
    if node is None:
        raise ConfigError('moveit.parameters_file: needed where there is no node to ask with')
    asked = _asking(node, settings.move_group, wait_s)
    return lambda ctx: made(asked(ctx))


def parameters_in(file: Path) -> dict[str, Any]:
    """The parameters of the one node in a parameter file. Raises ConfigError."""
    content = read_yaml(file)
    nodes = list(content.values()) if isinstance(content, dict) else []
    if len(nodes) != 1 or not isinstance(nodes[0], dict) or 'ros__parameters' not in nodes[0]:
        raise ConfigError(f'moveit.parameters_file: {file} must have one node with '
                          'ros__parameters')
    return flat(nodes[0]['ros__parameters'])


def _asking(node: Node, server: str, wait_s: float) -> Parameters:
    """A function that returns the parameters of a running node that have a value."""
    from rcl_interfaces.srv import GetParameters, GetParameterTypes, ListParameters
    from rclpy.parameter import parameter_value_to_python

    from replan_agent.ros.rclpy_tools.service_port import ServicePort
    from replan_agent.ros.rclpy_tools.timeouts import Timeouts

    timeouts = Timeouts(appear_timeout=wait_s, answer_timeout=wait_s)
    kinds = {'list_parameters': ListParameters, 'get_parameter_types': GetParameterTypes,
             'get_parameters': GetParameters}
    ports = {name: ServicePort(node, kind, f'{server}/{name}', server, timeouts)
             for name, kind in kinds.items()}

    def ask(ctx: Context) -> dict[str, Any]:
        listed = ports['list_parameters'].call(ListParameters.Request(), ctx).result.names
        types = ports['get_parameter_types'].call(
            GetParameterTypes.Request(names=list(listed)), ctx).types
        # rclcpp gives no values at all if one of the names has none.
        names = [name for name, kind in zip(listed, types) if kind]
        answer = ports['get_parameters'].call(GetParameters.Request(names=names), ctx)
        return {name: parameter_value_to_python(value)
                for name, value in zip(names, answer.values)}

    return ask


def for_moveit_py(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """move_group's parameters as moveit_py expects them, with OMPL and Pilz.

    Raises ConfigError if the robot's description is missing.
    """
    config = {name: list(value) if isinstance(value, tuple) else value
              for name, value in parameters.items()
              if value is not None and value != [] and name not in OWN
              and not name.startswith('qos_overrides')}
    missing = [name for name in DESCRIPTIONS if not config.get(name)]
    if missing:
        raise ConfigError(f'moveit.move_group: that node has no {" and no ".join(missing)}; '
                          'is it a move_group?')
    config.pop('planning_pipelines', None)
    config['planning_pipelines.pipeline_names'] = [OMPL, PILZ]
    if f'{OMPL}.planning_plugins' not in config:
        for name in [name for name in config if name.startswith(f'{NAMELESS}.')]:
            config[OMPL + name[len(NAMELESS):]] = config.pop(name)
    for pipeline, plugin in PLUGINS.items():
        # A list of its own for each: YAML would write a shared one as an alias, which rcl refuses.
        config.setdefault(f'{pipeline}.planning_plugins', [plugin])
        config[f'{pipeline}.request_adapters'] = [
            f'default_planning_request_adapters/{name}' for name in BEFORE]
        config[f'{pipeline}.response_adapters'] = [
            f'default_planning_response_adapters/{name}' for name in AFTER]
    for name, value in CARTESIAN.items():
        config[f'robot_description_planning.cartesian_limits.{name}'] = value
    for name, given in REQUEST.items():
        config[f'plan_request_params.{name}'] = given
    return config
