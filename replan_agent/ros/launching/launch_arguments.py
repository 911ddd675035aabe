# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by the launch files: common arguments, the agent, RViz, other packages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from launch.actions import DeclareLaunchArgument, EmitEvent, GroupAction, IncludeLaunchDescription
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_context import LaunchContext
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from replan_agent.app.build.plugins import VIEWS, installed_names, not_installed
from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.arms.arm_names import base_frame

Argument = tuple[str, Any, str]  # name, default, description
Values = dict[str, str]

STANDSTILL_S = '5'  # an interrupted node stops the arm before it ends (close_timeout)
AS_IN_FILE = 'empty: as in params_file'
FOR_AGENT = ('namespace', 'use_sim_time', 'params_file', 'log_level', 'planner', 'perception',
             'model', 'vlm_base_url', 'robot_type', 'eye_in_hand', 'web', 'doctor', 'respawn',
             'frame_prefix', 'clock', 'stop_memory', 'names_file', 'base_frame', 'calibration')
RESPAWN_S = 1.0  # before a node starts again
FAKE = 'use_fake_hardware'
NEW_MEMORY = 'empty: a new folder for each launch'  # a new simulated world has no old stop
CLOCK = '/clock'
ENCLAVES = '/replan_agent'  # of the SROS 2 policy; without security they mean nothing
BOOLEAN = ('eye_in_hand',)  # others are text


def config(*path: str, package: str = 'replan_agent') -> PathJoinSubstitution:
    """A file of our installed configuration, or of one of our packages."""
    return PathJoinSubstitution([FindPackageShare(package), 'config', *path])


def agent_arguments(params_file: str, use_sim_time: str, perceptions: str = 'camera or camera_vlm',
                    clock: str = CLOCK, frame_prefix: str = '', stop_memory: str = '',
                    package: str = 'replan_agent') -> tuple[Argument, ...]:
    """The arguments that the agent always has; `robot_type` is declared separately.

    `frame_prefix` and `stop_memory` say in words what an empty one means. `params_file`
    is a configuration of `package`.
    """
    return (
        ('namespace', '', 'namespace of all nodes'),
        ('use_sim_time', use_sim_time, 'whether time comes from the topic clock'),
        ('params_file', config(params_file, package=package), 'parameters of our nodes'),
        ('log_level', 'info', 'debug, info, warn, error or fatal'),
        ('planner', '', f'search, stub or vlm; {AS_IN_FILE}'),
        ('perception', '', f'{perceptions}; {AS_IN_FILE}'),
        ('eye_in_hand', '', f'true: a camera is on the hand; looking moves the arm; {AS_IN_FILE}'),
        ('model', '', f'name of the vision-language model; {AS_IN_FILE}'),
        ('vlm_base_url', '', f'OpenAI-compatible endpoint of the model; {AS_IN_FILE}'),
        ('web', 'false', 'true: also serve the page (replan_agent_page): watch, approve, replay'),
        ('frame_prefix', '', "put before the names of the arm's frames, as left/; "
                             f'{frame_prefix or AS_IN_FILE}'),
        ('clock', clock, 'topic of the time, if use_sim_time'),
        ('stop_memory', '', 'folder that keeps a stop when skill_node starts again; '
                            f'{stop_memory or AS_IN_FILE}'),
        ('respawn', 'true', "whether a node that died starts again; the arm's driver never does"),
    )


def declared(arguments: Iterable[Argument]) -> list[DeclareLaunchArgument]:
    return [DeclareLaunchArgument(name, default_value=default, description=text)
            for name, default, text in arguments]


def values(context: LaunchContext, names: Iterable[str], files: Iterable[str],
           files_if_given: Iterable[str] = ()) -> Values:
    """The values of the arguments; raises FileNotFoundError if a named file does not exist."""
    found = {name: LaunchConfiguration(name).perform(context) for name in names}
    for name in (*files, *(name for name in files_if_given if found[name])):
        if not Path(found[name]).is_file():
            raise FileNotFoundError(f'{name}: no file {found[name]}')
    return found


def new_memory(value: Values) -> None:
    """Fill an empty `stop_memory`: a stop then lasts as long as this launch."""
    value['stop_memory'] = value['stop_memory'] or tempfile.mkdtemp(prefix='replan_agent_stop_')


def is_true(text: str) -> bool:
    if text.lower() not in ('true', '1', 'false', '0', ''):  # a typo must not start a real arm
        raise ValueError(f'{text!r} is neither true nor false')
    return text.lower() in ('true', '1')


def our_node(executable: str, value: Mapping[str, str], parameter_of: Mapping[str, str],
             more: Mapping[str, Any] | None = None, respawn: bool | None = None,
             ending: Mapping[str, Any] | None = None, package: str = 'replan_agent',
             words: Iterable[str] = ()) -> Node:
    """One of our nodes; an empty argument leaves the parameter as it is in params_file.

    The parameters in `more` are set to their values. `respawn` is the argument of that name
    unless given. `ending` says otherwise what happens at its end.
    """
    # As text: a model may be called 7 or true.
    given: dict[str, Any] = {
        parameter: (is_true(value[name]) if name in BOOLEAN
                    else ParameterValue(value[name], value_type=str))
        for name, parameter in parameter_of.items() if value.get(name)}
    given |= {**(more or {}), 'use_sim_time': is_true(value['use_sim_time'])}
    return Node(
        package=package, executable=executable, namespace=value['namespace'],
        parameters=[*filter(None, [value.get('names_file')]), value['params_file'], given],
        arguments=[*words, *enclave(executable, value['namespace']),
                   '--log-level', value['log_level']],
        output='screen', remappings=[(CLOCK, value['clock'])],
        sigterm_timeout=STANDSTILL_S, **(ending or respawned(value, respawn)))


def enclave(executable: str, namespace: str) -> list[str]:
    """The words that put a node into its enclave of the SROS 2 policy; each arm has its own."""
    place = '/'.join(filter(None, (ENCLAVES, namespace.strip('/'), executable)))
    return ['--ros-args', '--enclave', place]


def respawned(value: Mapping[str, str], respawn: bool | None = None) -> dict[str, Any]:
    """The arguments of a Node that starts again when it died, as the argument `respawn` says.

    Wrong parameters end the launch: the node would refuse them again.
    """
    return {'respawn': is_true(value['respawn']) if respawn is None else respawn,
            'respawn_delay': RESPAWN_S, 'on_exit': _end_if_misused}


def _end_if_misused(event: ProcessExited, context: LaunchContext) -> list[EmitEvent]:
    if event.returncode != WRONG_USE or context.is_shutdown:
        return []
    return [EmitEvent(event=Shutdown(reason=f'{event.process_name} refuses its parameters'))]


def agent(value: Mapping[str, str]) -> IncludeLaunchDescription:
    """The agent's nodes; other packages drive the arm and the camera."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution(
            [FindPackageShare('replan_agent'), 'launch', 'agent.launch.py'])),
        launch_arguments=[(name, value[name]) for name in (*FOR_AGENT, FAKE) if name in value])


def included(package: str, file: str, arguments: Mapping[str, object]) -> GroupAction:
    """Another package's launch file; its arguments do not change ours."""
    path = PathJoinSubstitution([FindPackageShare(package), 'launch', file])
    return GroupAction([IncludeLaunchDescription(PythonLaunchDescriptionSource(path),
                                                 launch_arguments=arguments.items())])


def rviz(value: Mapping[str, str], model: str) -> Node:
    """RViz with our view, from the base of the arm."""
    if 'scene' not in installed_names(VIEWS):
        raise not_installed(VIEWS, 'scene')
    return Node(package='rviz2', executable='rviz2', namespace=value['namespace'],
                remappings=[(CLOCK, value['clock'])], arguments=[
                    '-d', config('replan_agent.rviz'), '-f',
                    value['frame_prefix'] + (value.get('base_frame') or base_frame(model))],
                parameters=[{'use_sim_time': is_true(value['use_sim_time'])}])
