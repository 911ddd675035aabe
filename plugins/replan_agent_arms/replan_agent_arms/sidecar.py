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

FEWEST, MOST = 5, 8  # joints
FAR_M = 5.0
Names = tuple[str, ...]


def _line(example: str, meaning: str, read: Read, default: Any = MISSING) -> Any:
    """A setting whose errors end with a line that would be right."""
    def checked(value: Any, where: str) -> Any:
        try:
            return read(value, where)
        except ConfigError as error:
            raise ConfigError(f'{error}; for example: {example}') from error

    return setting(default, f'{meaning}; for example: {example}', read=checked)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise wrong(where, 'a text', value)
    return value


def _texts(value: Any, where: str) -> Names:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise wrong(where, 'a list of names', value)
    if len(set(value)) < len(value):
        raise wrong(where, 'a list of names, each of them once', value)
    return tuple(value)


def _each(low: float, high: float) -> Read:
    """One positive number for all joints, or one for each."""
    def read(value: Any, where: str) -> tuple[float, ...]:
        given = value if isinstance(value, list) else [value]
        if not given or not all(is_number(v, low, high) for v in given):
            raise wrong(where, f'a number from {low:g} to {high:g}, or a list of one for each '
                        'joint', value)
        return tuple(map(float, given))

    return read


def _number(low: float, high: float) -> Read:
    def read(value: Any, where: str) -> float:
        if not is_number(value, low, high):
            raise wrong(where, f'a number from {low:g} to {high:g}', value)
        return float(value)

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
    first, second = (_texts([v] if isinstance(v, str) else v, where) for v in value)
    if not first or not second or set(first) & set(second):
        raise wrong(where, 'different names for the two fingers', value)
    return first, second


def _factors(value: Any, where: str) -> Mapping[str, float]:
    if not isinstance(value, dict) or not all(isinstance(k, str) and is_number(v, -100, 100)
                                              for k, v in value.items()):
        raise wrong(where, 'names of joints, each with a factor', value)
    return {str(name): float(factor) for name, factor in value.items()}


def _ranges(value: Any, where: str) -> Mapping[str, tuple[float, float]]:
    if not isinstance(value, dict):
        raise wrong(where, 'names of joints, each with [lowest, highest]', value)
    return {_text(name, where): _rising(-100, 100)(pair, f'{where}.{name}')
            for name, pair in value.items()}


_place = numbers(3, low=-FAR_M, high=FAR_M)
_turn = numbers(3, low=-math.tau, high=math.tau)


@dataclass(frozen=True)
class Tool:
    """A frame of the model, and what is between it and the tool centre point."""

    frame: str = _line('frame: tool0', 'a body, link or site of the model', _text)
    xyz: tuple[float, ...] = _line('xyz: [0, 0, 0.15]', 'm', _place, (0.0,) * 3)
    rpy: tuple[float, ...] = _line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)


@dataclass(frozen=True)
class Hand:
    """A hand with a model of its own."""

    at: str = _line('at: tool0', 'the body or link of the arm that carries it', _text)
    model: str = _line('model: gripper.urdf', 'a URDF or MJCF', _text)
    xyz: tuple[float, ...] = _line('xyz: [0, 0, 0.01]', 'm, of the hand there', _place, (0.0,) * 3)
    rpy: tuple[float, ...] = _line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)


@dataclass(frozen=True)
class Gripper:
    """How the hand closes: rad or m of the one joint that is commanded."""

    joint: str = _line('joint: finger_joint', 'the joint that is commanded', _text)
    open: float = _line('open: 0.0', 'where the joint is when the hand is open, rad or m',
                        _number(-10, 10))
    closed: float = _line('closed: 0.8', 'where it is when the pads meet, rad or m',
                          _number(-10, 10))
    pads: tuple[Names, Names] = _line('pads: [left_pad, right_pad]', 'the geoms or links that '
                                      'touch what is held, of one finger and of the other', _pads)
    force: tuple[float, float] = _line('force: [20, 235]', 'least and largest force, N',
                                       _rising(0, 10_000))
    speed: float = _line('speed: 0.15', 'between the pads, m/s', _number(0.001, 5))
    follow: Mapping[str, float] | None = _line(
        'follow: {right_finger_joint: -1.0}', 'joints that move with it, and their factors',
        _factors, None)


@dataclass(frozen=True)
class CameraMount:
    """A depth camera on the hand; optical: x right, y down, z ahead."""

    frame: str = _line('frame: camera_color_optical_frame', 'a body, link or site', _text)
    xyz: tuple[float, ...] = _line('xyz: [0.07, 0, 0.04]', 'm', _place, (0.0,) * 3)
    rpy: tuple[float, ...] = _line('rpy: [0, 0, 1.5708]', 'rad', _turn, (0.0,) * 3)
    fovy: float = _line('fovy: 42', 'the upright angle of view, degrees', _number(5, 150), 42.0)
    size: tuple[float, ...] = _line('size: [640, 480]', 'pixels', numbers(2, low=16, high=4096),
                                    (640.0, 480.0))


@dataclass(frozen=True)
class Ros:
    """Names over ROS."""

    trajectory: str = _line('trajectory: arm_controller/follow_joint_trajectory',
                            'a FollowJointTrajectory action', _text, '')
    gripper: str = _line('gripper: gripper_controller/gripper_cmd', 'a GripperCommand action',
                         _text, '')


def _section(cls: type[Any]) -> Read:
    return lambda value, where: build(cls, value, where)


@dataclass(frozen=True)
class Sidecar:
    """A checked file. Paths are found, the numbers of joints agree."""

    model: str = _line('model: my_arm.urdf', 'a URDF or MJCF, or package:NAME/path of a file in '
                       'an installed Python package', _text)
    joints: Names = _line('joints: [joint1, joint2, joint3, joint4, joint5, joint6]',
                          'the joints of the arm, base first', _texts)
    home: tuple[float, ...] = _line('home: [0, -1.57, 1.57, -1.57, -1.57, 0]',
                                    'a posture with room around the hand, rad', _each(-10, 10))
    acceleration: tuple[float, ...] = _line('acceleration: 5.0', 'rad/s², for all or for each '
                                            'joint', _each(1e-3, 1e4))
    jerk: tuple[float, ...] = _line('jerk: 100.0', 'rad/s³, for all or for each joint',
                                    _each(1e-3, 1e6))
    payload: float = _line('payload: 5.0', 'kg at the flange; what the hand weighs is taken off',
                           _number(0.05, 1000))
    gripper: Gripper = setting(MISSING, 'for example: gripper: {joint: finger_joint, open: 0.0, '
                               'closed: 0.8, pads: [left_pad, right_pad], force: [20, 235], '
                               'speed: 0.15}', read=_section(Gripper))
    velocity: tuple[float, ...] = _line('velocity: 3.14', 'rad/s, for all or for each joint',
                                        _each(1e-3, 100), ())
    effort: tuple[float, ...] = _line('effort: [150, 150, 150, 28, 28, 28]', 'N·m, for all or for '
                                      'each joint', _each(0.1, 1e4), ())
    ranges: Mapping[str, tuple[float, float]] | None = _line(
        'ranges: {joint1: [-3.14, 3.14]}', 'of joints that have none in the model, rad', _ranges,
        None)
    base: str = _line('base: base_link', 'the body or link that stands on the table', _text, '')
    leave_out: Names = _line('leave_out: [head, screen]', 'bodies or links that the arm is '
                             'without', _texts, ())
    hand: Hand | None = setting(None, 'a hand with its own model', read=_section(Hand))
    tool: Tool | None = setting(None, 'the tool centre point; without it, between the pads',
                                read=_section(Tool))
    camera: CameraMount | None = setting(None, 'on the hand', read=_section(CameraMount))
    ros: Ros = setting(Ros(), 'names over ROS', read=_section(Ros))

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
