# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The section `ros` of a sidecar: what the drivers of an arm call things, and what they offer."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.robot.mujoco.scene.scene_values import wrong
from replan_agent.text.setting import ConfigError, Read, build, key_path, setting
from replan_agent.text.shown_text import shown

from .sidecar_lines import Names, line, number, section, text, texts

NAME = re.compile(r'/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*')
TYPE = re.compile(r'([a-z][a-z0-9_]*)/(?:srv/|msg/)?([A-Z][A-Za-z0-9]*)')
TRIGGER = 'std_srvs/Trigger'
# What an argument of a launch file may take from ours: '{robot_ip}'.
GIVEN = ('robot_ip', 'use_fake_hardware', 'namespace', 'frame_prefix')
Plain = str | int | float | bool


def _name(value: Any, where: str) -> str:
    """The name of a topic, a service, an action or a frame."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise wrong(where, 'a name of ROS: words of letters, digits and _ with / between', value)
    return value


def _type_of(what: str) -> Read:
    def read(value: Any, where: str) -> str:
        found = TYPE.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise wrong(where, f'the type of a {what}, package/Name', value)
        return '/'.join(found.groups())

    return read


def _fields(value: Any, where: str) -> Mapping[str, Plain]:
    if not isinstance(value, dict) or not all(
            isinstance(k, str) and isinstance(v, Plain) for k, v in value.items()):
        raise wrong(where, 'names of fields, each with a number, a text, true or false', value)
    return dict(value)


@dataclass(frozen=True)
class Service:
    """A service of the driver, what it is asked and which fields of its answer mean success."""

    service: str = line('service: dashboard_client/unlock_protective_stop', 'its name', _name)
    type: str = line('type: std_srvs/SetBool', 'package and name', _type_of('service'),
                     TRIGGER)
    request: Mapping[str, Plain] | None = line('request: {data: true}', 'what is sent', _fields,
                                               None)
    answer: Mapping[str, Plain] | None = line(
        'answer: {ret: 0}', 'what comes back if all is well; without it, success: true', _fields,
        None)

    @property
    def sent(self) -> Mapping[str, Plain]:
        return self.request or {}

    @property
    def expected(self) -> Mapping[str, Plain]:
        return self.answer or {'success': True}


def _services(value: Any, where: str) -> tuple[Service, ...]:
    """Services in the order in which they are called; a name alone is a std_srvs/Trigger."""
    if not isinstance(value, list):
        raise wrong(where, 'a list of services', value)
    return tuple(build(Service, {'service': given} if isinstance(given, str) else given,
                       f'{where}[{index}]') for index, given in enumerate(value))


def _stops(value: Any, where: str) -> Mapping[int, str]:
    if not isinstance(value, dict) or not value or not all(
            type(number) is int and isinstance(words, str) for number, words in value.items()):
        raise wrong(where, 'whole numbers, each with the words for that stop', value)
    return dict(value)


def _numbers(value: Any, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(number) is int for number in value):
        raise wrong(where, 'a list of whole numbers', value)
    return tuple(value)


@dataclass(frozen=True)
class SafetyState:
    """A topic with a number for each way in which the arm stops itself, also while it rests.

    `by_hand` are the numbers of stops that only a person can release, as an emergency stop.
    """

    topic: str = line('topic: io_and_status_controller/safety_mode', 'its name', _name)
    type: str = line('type: ur_dashboard_msgs/SafetyMode', 'package and name',
                     _type_of('message'))
    stops: Mapping[int, str] = line('stops: {3: protective stop}', 'its numbers for stops, and '
                                    'their names', _stops)
    field: str = line('field: mode', 'the field with the number', text, 'mode')
    by_hand: tuple[int, ...] = line('by_hand: [6, 7]', 'those that only a person releases',
                                    _numbers, ())
    latched: bool = setting(True, 'the driver publishes it only when it changes, for late '
                            'subscribers, too')


@dataclass(frozen=True)
class RosGripper:
    """The action of the hand; its positions are those of the model, unless said."""

    action: str = line('action: gripper_controller/gripper_cmd', 'its name', _name)
    driver: str = line('driver: parallel_gripper', 'the type of the action: gripper_command, '
                       'parallel_gripper, or what a package offers, as franka', text,
                       'gripper_command')
    joint: str = line('joint: robotiq_85_left_knuckle_joint', 'what the driver calls '
                      'gripper.joint, if not the same', text, '')
    open: float = line('open: 0.085', 'its position when the hand is open, if not gripper.open',
                       number(-1000, 1000), math.nan)
    closed: float = line('closed: 0.0', 'its position when the pads meet, if not gripper.closed',
                         number(-1000, 1000), math.nan)


def _gripper(value: Any, where: str) -> RosGripper:
    made = build(RosGripper, {'action': value} if isinstance(value, str) else value, where)
    if math.isnan(made.open) != math.isnan(made.closed) or made.open == made.closed:
        raise ConfigError(f'{where}: open and closed belong together, and differ; for example: '
                          'open: 0.085, closed: 0.0')
    return made


def _arguments(value: Any, where: str) -> Mapping[str, str]:
    found = {key: str(said).lower() if isinstance(said, bool) else str(said)
             for key, said in _fields(value, where).items()}
    for key, said in found.items():
        try:
            used = {name for _, name, *_ in string.Formatter().parse(said) if name is not None}
        except ValueError:
            used = {said}
        if used - {*GIVEN}:
            raise ConfigError(f'{key_path(where, key)}: {shown(said)} may use '
                              f'{", ".join(f"{{{name}}}" for name in GIVEN)}; for example: '
                              "robot_ip: '{robot_ip}'")
    return found


@dataclass(frozen=True)
class Bringup:
    """The launch file that starts the driver."""

    package: str = line('package: ur_robot_driver', 'the package of the launch file', text)
    file: str = line('file: ur_control.launch.py', 'in its folder launch', text)
    arguments: Mapping[str, str] | None = line(
        "arguments: {ur_type: ur5e, robot_ip: '{robot_ip}'}", 'what it is given', _arguments, None)


@dataclass(frozen=True)
class Ros:
    """Names over ROS. Without them the arm has those that the simulation gives it."""

    joints: Names = line('joints: [joint_1, joint_2, joint_3, joint_4, joint_5, joint_6]',
                         'what the driver calls the joints, if not as the model', texts, ())
    base: str = line('base: base_link', "the link of the driver's description that is where our "
                     'base is', _name, '')
    tool: str = line('tool: tool0', "a link of the driver's description that carries the hand",
                     _name, '')
    trajectory: str = line('trajectory: arm_controller/follow_joint_trajectory',
                           'a FollowJointTrajectory action', _name, '')
    gripper: RosGripper | None = setting(
        None, 'the action of the hand; for example: gripper: {action: '
        'gripper_controller/gripper_cmd}', read=_gripper)
    joint_states: str = line('joint_states: joint_states', 'a topic', _name, 'joint_states')
    finger_states: str = line('finger_states: gripper/joint_states', 'a topic, if the fingers '
                              'have their own', _name, '')
    external_torques: str = line('external_torques: broadcaster/external_joint_torques', 'a '
                                 'JointState topic with the external torques in effort', _name, '')
    driver_speed_scale: str = line(
        'driver_speed_scale: speed_scaling_state_broadcaster/speed_scaling', 'a Float64 topic '
        'with the speed in percent at which the driver follows motions', _name, '')
    controller_manager: str = line('controller_manager: controller_manager', 'a node', _name,
                                   'controller_manager')
    stop: tuple[Service, ...] = line('stop: [dashboard_client/stop]', 'services that stop an '
                                        'arm which no cancel stops', _services, ())
    recover: tuple[Service, ...] = line(
        'recover: [dashboard_client/unlock_protective_stop]',
        "services that clear the arm's errors, in this order", _services, ())
    safety: SafetyState | None = setting(
        None, 'the topic that tells the stops which the arm makes by itself; for example: safety: '
        '{topic: io_and_status_controller/safety_mode, type: ur_dashboard_msgs/SafetyMode, '
        'stops: {3: protective stop}}', read=section(SafetyState))
    bringup: Bringup | None = setting(None, 'the launch file of the driver; for example: bringup: '
                                      '{package: ur_robot_driver, file: ur_control.launch.py}',
                                      read=section(Bringup))
