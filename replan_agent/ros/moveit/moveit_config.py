"""MoveIt's configuration for the planner, taken from the running move_group."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node

from replan_agent.domain.config import ConfigError, setting
from replan_agent.domain.context import Context

OMPL, PILZ = 'ompl', 'pilz_industrial_motion_planner'
INSTALL = 'sudo apt-get install ros-$ROS_DISTRO-moveit-py (Jazzy or newer; not in Humble)'
NODE = 'replan_agent_moveit'
# Needed for straight lines, but missing in some configurations (m/s, m/s², rad/s).
CARTESIAN = {'max_trans_vel': 1.0, 'max_trans_acc': 2.25, 'max_trans_dec': -5.0,
             'max_rot_vel': 1.57}
DESCRIPTIONS = ('robot_description', 'robot_description_semantic')


@dataclass(frozen=True)
class MoveItSettings:
    move_group: str = setting('move_group', 'node with the MoveIt configuration to use')
    group: str = setting('', 'planning group; empty: panda_arm')
    tip_link: str = setting('', 'link at the tool centre point; empty: panda_hand_tcp')
    planner_id: str = setting('', 'planner of OMPL; empty: the default of its configuration')
    attempts: int = setting(4, 'tries for one motion', 1, 100)
    ik_timeout: float = setting(0.05, 'time for one inverse-kinematics solve, s', 0.001, 10)


def require_moveit() -> None:
    """Raises ConfigError with the install command if moveit_py is missing."""
    try:
        found = importlib.util.find_spec('moveit.planning')
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ConfigError(f'motion_planner: moveit needs moveit_py; install it: {INSTALL}')


def connector(node: Node, settings: MoveItSettings, wait_s: float) -> Callable[[], Any]:
    """A function that starts MoveIt with the parameters of `settings.move_group`.

    It waits for that node's answers, so it must not run in the thread that spins ours.
    """
    from replan_agent.ros.rclpy_tools.service_port import ServicePort
    from replan_agent.ros.rclpy_tools.timeouts import Timeouts

    timeouts = Timeouts(appear_timeout=wait_s, answer_timeout=wait_s)
    ports = [ServicePort(node, kind, f'{settings.move_group}/{name}', settings.move_group,
                         timeouts)
             for kind, name in ((ListParameters, 'list_parameters'),
                                (GetParameters, 'get_parameters'))]

    def connect() -> Any:
        from moveit.planning import MoveItPy
        from rclpy.parameter import parameter_value_to_python

        names = list(ports[0].call(ListParameters.Request(), Context()).result.names)
        answer = ports[1].call(GetParameters.Request(names=names), Context())
        values = {name: parameter_value_to_python(value)
                  for name, value in zip(names, answer.values)}
        return MoveItPy(node_name=NODE, config_dict=for_moveit_py(values),
                        provide_planning_service=False)

    return connect


def for_moveit_py(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """move_group's parameters as moveit_py expects them, with OMPL and Pilz.

    Raises ConfigError if the robot's description is missing.
    """
    config = {name: list(value) if isinstance(value, tuple) else value
              for name, value in parameters.items()
              if value is not None and value != [] and not name.startswith('qos_overrides')}
    missing = [name for name in DESCRIPTIONS if not config.get(name)]
    if missing:
        raise ConfigError(f'moveit.move_group: that node has no {" and no ".join(missing)}; '
                          'is it a move_group?')
    config.pop('planning_pipelines', None)
    config['planning_pipelines.pipeline_names'] = [OMPL, PILZ]
    config.setdefault(f'{OMPL}.planning_plugins', ['ompl_interface/OMPLPlanner'])
    config.setdefault(f'{PILZ}.planning_plugins',
                      ['pilz_industrial_motion_planner/CommandPlanner'])
    for name, value in CARTESIAN.items():
        config.setdefault(f'robot_description_planning.cartesian_limits.{name}', value)
    return config
