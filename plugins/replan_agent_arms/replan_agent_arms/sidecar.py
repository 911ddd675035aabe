# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The small file beside a model of an arm: what the model does not say. Read strictly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from replan_agent.robot.mujoco.scene.scene_values import NAME, is_number, numbers, wrong
from replan_agent.text.setting import ConfigError, Read, build, key_path, setting
from replan_agent.text.yaml_text import read_yaml

from .found_file import found_file
from .sidecar_lines import Names, line, number, section, text, texts
from .sidecar_ros import Ros

FEWEST, MOST = 5, 8  # joints
FAR_M = 5.0


def _each(low: float, high: float) -> Read:
    """One positive number for all joints, or one for each."""
    def read(value: Any, where: str) -> tuple[float, ...]:
        given = value if isinstance(value, list) else [value]
        if not given or not all(is_number(v, low, high) for v in given):
            raise wrong(where, f'a number from {low:g} to {high:g}, or a list of one for each '
                        'joint', value)
        return tuple(map(float, given))

    return read


def _rising(low: float, high: float) -> Read:
    pair = numbers(2, low=low, high=high)

    def read(value: Any, where: str) -> tuple[float, float]:
        first, last = pair(value, where)
        if first >= last:
            raise wrong(where, 'a pair [lowest, highest]', value)
        return first, last

    return read


def _pads(value: Any, where: str) -> tuple[Names, Names]:
    """The pads of one finger and of the other: a name or a list of names for each."""
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(where, 'a list of two: the pads of one finger, and of the other', value)
    first, second = (texts([v] if isinstance(v, str) else v, where) for v in value)
    if not first or not second or set(first) & set(second):
        raise wrong(where, 'different names for the two fingers', value)
    return first, second


def _laws(value: Any, where: str) -> Mapping[str, tuple[float, float]]:
    """For each joint a factor, or a factor and what is added."""
    if isinstance(value, dict):
        laws = {name: law if isinstance(law, list) else [law, 0.0] for name, law in value.items()}
        if all(isinstance(name, str) and len(law) == 2 and is_number(law[0], -100, 100)
               and is_number(law[1], -100, 100) for name, law in laws.items()):
            return {name: (float(factor), float(more)) for name, (factor, more) in laws.items()}
    raise wrong(where, 'names of joints, each with a factor, or with [factor, what is added]',
                value)


def _ranges(value: Any, where: str) -> Mapping[str, tuple[float, float]]:
    if not isinstance(value, dict):
        raise wrong(where, 'names of joints, each with [lowest, highest]', value)
    return {text(name, where): _rising(-100, 100)(pair, f'{where}.{name}')
            for name, pair in value.items()}


_place = numbers(3, low=-FAR_M, high=FAR_M)
_turn = numbers(3, low=-math.tau, high=math.tau)


@dataclass(frozen=True)
class Tool:
    """A frame of the model, and what is between it and the tool centre point."""

    frame: str = line('frame: tool0', 'a body, link or site of the model', text)
    xyz: tuple[float, ...] = line('xyz: [0, 0, 0.15]', 'm', numbers(3, low=-1, high=1),
                                   (0.0,) * 3)
    rpy: tuple[float, ...] = line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)


@dataclass(frozen=True)
class Hand:
    """A hand with a model of its own."""

    at: str = line('at: tool0', 'the body or link of the arm that carries it', text)
    model: str = line('model: gripper.urdf', 'a URDF or MJCF', text)
    xyz: tuple[float, ...] = line('xyz: [0, 0, 0.01]', 'm, of the hand there', _place, (0.0,) * 3)
    rpy: tuple[float, ...] = line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)


@dataclass(frozen=True)
class Gripper:
    """How the hand closes: rad or m of the one joint that is commanded."""

    joint: str = line('joint: finger_joint', 'the joint that is commanded', text)
    open: float = line('open: 0.0', 'where the joint is when the hand is open, rad or m',
                        number(-10, 10))
    closed: float = line('closed: 0.8', 'where it is when the pads meet, rad or m',
                          number(-10, 10))
    pads: tuple[Names, Names] = line('pads: [left_pad, right_pad]', 'the geoms or links that '
                                      'touch what is held, of one finger and of the other', _pads)
    force: tuple[float, float] = line('force: [20, 235]', 'least and largest force, N',
                                       _rising(0, 10_000))
    speed: float = line('speed: 0.15', 'between the pads, m/s', number(0.001, 5))
    follow: Mapping[str, tuple[float, float]] | None = line(
        'follow: {right_finger_joint: -1.0}', 'joints that move with it, and their factors',
        _laws, None)


@dataclass(frozen=True)
class CameraMount:
    """A depth camera on the hand; optical: x right, y down, z ahead."""

    frame: str = line('frame: camera_color_optical_frame', 'a body, link or site', text)
    xyz: tuple[float, ...] = line('xyz: [0.07, 0, 0.04]', 'm', _place, (0.0,) * 3)
    rpy: tuple[float, ...] = line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)
    fovy: float = line('fovy: 42', 'the upright angle of view, degrees', number(5, 150), 42.0)
    size: tuple[float, ...] = line('size: [640, 480]', 'pixels', numbers(2, low=16, high=4096),
                                    (640.0, 480.0))


@dataclass(frozen=True)
class Sidecar:
    """A checked file. Paths are found, the numbers of joints agree."""

    model: str = line('model: my_arm.urdf', 'a URDF or MJCF, or package:NAME/path of a file in '
                       'an installed Python package', text)
    joints: Names = line('joints: [joint1, joint2, joint3, joint4, joint5, joint6]',
                          'the joints of the arm, base first', texts)
    home: tuple[float, ...] = line('home: [0, -1.57, 1.57, -1.57, -1.57, 0]',
                                    'a posture with room around the hand, rad', _each(-10, 10))
    acceleration: tuple[float, ...] = line('acceleration: 5.0', 'rad/s², for all or for each '
                                            'joint', _each(1e-3, 1e4))
    jerk: tuple[float, ...] = line('jerk: 100.0', 'rad/s³, for all or for each joint',
                                    _each(1e-3, 1e6))
    payload: float = line('payload: 5.0', 'kg at the flange; what the hand weighs is taken off',
                           number(0.05, 1000))
    gripper: Gripper = setting(MISSING, 'for example: gripper: {joint: finger_joint, open: 0.0, '
                               'closed: 0.8, pads: [left_pad, right_pad], force: [20, 235], '
                               'speed: 0.15}', read=section(Gripper))
    velocity: tuple[float, ...] = line('velocity: 3.14', 'rad/s, for all or for each joint',
                                        _each(1e-3, 100), ())
    effort: tuple[float, ...] = line('effort: [150, 150, 150, 28, 28, 28]', 'N·m, for all or for '
                                      'each joint', _each(0.1, 1e4), ())
    ranges: Mapping[str, tuple[float, float]] | None = line(
        'ranges: {joint1: [-3.14, 3.14]}', 'of joints that have none in the model, rad', _ranges,
        None)
    base: str = line('base: base_link', 'the body or link that stands on the table', text, '')
    leave_out: Names = line('leave_out: [head, screen]', 'bodies or links that the arm is '
                             'without', texts, ())
    hand: Hand | None = setting(None, 'a hand with its own model', read=section(Hand))
    tool: Tool | None = setting(None, 'the tool centre point; without it, between the pads',
                                read=section(Tool))
    camera: CameraMount | None = setting(None, 'on the hand', read=section(CameraMount))
    ros: Ros = setting(Ros(), 'names over ROS', read=section(Ros))

    def of_each(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """One number for each joint."""
        return values * len(self.joints) if len(values) == 1 else values


@dataclass(frozen=True)
class ArmFile:
    """A sidecar, where it stands and the files that it names. The arm has its name."""

    path: Path
    said: Sidecar
    model: Path
    hand: Path | None

    @property
    def name(self) -> str:
        return self.path.stem


def read_sidecar(path: Path) -> ArmFile:
    """The checked file. Raises ConfigError: the file, the key, and a line that would be right."""
    where = str(path)
    if not NAME.fullmatch(path.stem):
        raise ConfigError(f'{where}: the arm has the name of its file: letters, digits and _; for '
                          'example: my_arm.yaml')
    said = build(Sidecar, read_yaml(path), where)
    count = len(said.joints)
    if not FEWEST <= count <= MOST:
        raise ConfigError(f'{key_path(where, "joints")}: must name {FEWEST} to {MOST} joints, '
                          f'not {count}')
    if said.ros.joints and len(said.ros.joints) != count:
        raise ConfigError(f'{key_path(where, "ros.joints")}: has {len(said.ros.joints)} names for '
                          f'{count} joints; name all, base first, or leave it out')
    for key in ('home', 'velocity', 'acceleration', 'jerk', 'effort'):
        given = len(getattr(said, key))
        if given not in (count,) + ((0, 1) if key != 'home' else ()):
            raise ConfigError(f'{key_path(where, key)}: has {given} numbers for {count} joints; '
                              'give one for each joint' + ('' if key == 'home' else ', or one for '
                                                           'all'))
    if said.gripper.open == said.gripper.closed:
        raise ConfigError(f'{key_path(where, "gripper.closed")}: must differ from gripper.open, '
                          f'{said.gripper.open:g}; for example: closed: 0.8')
    hand = None if said.hand is None else found_file(said.hand.model, path.parent,
                                                     key_path(where, 'hand.model'))
    return ArmFile(path, said, found_file(said.model, path.parent, key_path(where, 'model')), hand)
