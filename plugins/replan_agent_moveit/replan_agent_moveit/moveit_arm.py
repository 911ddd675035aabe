# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a MoveIt model calls the parts of the arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from xml.etree import ElementTree as ET

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.hand_shape import polynomial

from .moveit_settings import MoveItSettings

GRIPPER = 'gripper'  # the name of the hand and its fingers in allowed contacts
FIXED = 'fixed'
Law = tuple[float, ...]  # a polynomial of the width between the pads (m)


@dataclass(frozen=True)
class MoveItNames:
    """Our model of the arm, and what MoveIt's model calls its parts.

    `links` are the links that can touch something; `parts` those of our link0, link1, ... `tip`
    moves with the hand. `fingers` are joints that follow the width.
    """

    model: str  # as robot.model names it
    ours: str  # what our parts' names begin with
    group: str
    base: str
    tip: str
    links: tuple[str, ...]
    hand: tuple[str, ...]
    fingers: tuple[tuple[str, Law], ...]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of_part(self, name: str) -> tuple[str, ...]:
        """The links of a part of the arm that our collision checker names; empty if none."""
        if name == GRIPPER:
            return self.hand
        named = self.parts.get(name.removeprefix(self.ours), (name,))
        return tuple(link for link in named if link in self.links)

    def finger_joints(self, width_m: float) -> dict[str, float]:
        """Where the joints of the fingers are at a width between the pads."""
        return {joint: polynomial(law, width_m) for joint, law in self.fingers}


class Described:
    """The links of a robot_description, and which of them are one piece. Raises ConfigError."""

    def __init__(self, urdf: str) -> None:
        try:
            root = ET.fromstring(urdf)
        except ET.ParseError as error:
            raise ConfigError(f'moveit: robot_description is not XML: {error}') from None
        links = {str(link.get('name')): link for link in root.iter('link')}
        self.names = tuple(links)
        self.solid = tuple(name for name, link in links.items()
                           if link.find('collision') is not None)
        self._joints = [(str(joint.get('name')), joint.get('type'), _link(joint, 'parent'),
                         _link(joint, 'child')) for joint in root.findall('joint')]

    @cached_property
    def ends(self) -> dict[str, tuple[str, str]]:
        """The links that each joint is between."""
        return {name: (parent, child) for name, _, parent, child in self._joints}

    def piece(self, link: str, without: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The link and what is fixed to it, up and down."""
        found, open_ = [link], [link]
        while open_:
            here = open_.pop()
            near = [b if here == a else a for _, kind, a, b in self._joints
                    if kind == FIXED and here in (a, b)]
            new = [link for link in near if link not in (*found, *without)]
            found, open_ = found + new, open_ + new
        return tuple(found)

    def below(self, link: str) -> Iterator[str]:
        """The link and all that it carries."""
        yield link
        for _, _, parent, child in self._joints:
            if parent == link:
                yield from self.below(child)


def _link(joint: ET.Element, end: str) -> str:
    found = joint.find(end)
    return '' if found is None else str(found.get('link'))


def arm_names(config: Mapping[str, Any], arm: ArmModel, settings: MoveItSettings,
              model: str = '') -> MoveItNames:
    """The names in a MoveIt configuration. Raises ConfigError if it describes another arm.

    `model` is the arm as the settings name it, if that is not its name.
    """
    described = Described(config['robot_description'])
    prefix = next((p for p in (arm.name, *arm.other_names) if f'{p}_link0' in described.names),
                  None)
    if prefix is not None:
        return _of_prefix(described, arm, settings, prefix, model or arm.name)
    if arm.ros.base:
        return _of_joints(described, config, arm, settings, model or arm.name)
    raise ConfigError(f'moveit: robot_description has no link {arm.name}_link0, so it is not the '
                      f'arm of robot.model ({arm.name})')


def _of_prefix(described: Described, arm: ArmModel, settings: MoveItSettings, prefix: str,
               model: str) -> MoveItNames:
    """Names as in Franka's descriptions, and in those that we write."""
    tip = _known(described, settings.tip_link or f'{prefix}_hand', 'tip_link')
    parts = {part: (f'{prefix}_{part}',) for part in
             (*(f'link{k}' for k in range(arm.joint_count + 2)), *arm.hand_parts)}
    fingers = tuple((body.joint.replace(arm.name, prefix, 1), body.by_width)
                    for body in arm.gripper.fingers)
    return MoveItNames(model, f'{arm.name}_', settings.group or f'{prefix}_arm',
                       f'{prefix}_link0', tip, described.solid,
                       tuple(f'{prefix}_{part}' for part in arm.hand_parts), fingers, parts)


def _of_joints(described: Described, config: Mapping[str, Any], arm: ArmModel,
               settings: MoveItSettings, model: str) -> MoveItNames:
    """Names of a description by another's hand: its joints tell which links are which."""
    missing = [joint for joint in arm.joint_names if joint not in described.ends]
    if missing:
        raise ConfigError(f'moveit: robot_description has no joint {missing[0]}, so it is not the '
                          f'arm of robot.model ({arm.name}); it has: '
                          f'{", ".join(described.ends) or "none"}')
    base = _known(described, arm.ros.base, f'ros.base of {arm.name}')
    last = described.ends[arm.joint_names[-1]][1]
    tip = _known(described, settings.tip_link or arm.ros.tool or last, 'tip_link')
    if tip not in described.below(last):
        raise ConfigError(f'moveit.tip_link: {tip} is not carried by {arm.joint_names[-1]}')
    hand = tuple(described.below(tip)) if tip != last else ()
    starts = [described.ends[arm.joint_names[0]][0],
              *(described.ends[joint][1] for joint in arm.joint_names)]
    parts = {f'link{k}': described.piece(link, hand) for k, link in enumerate(starts)}
    gripper = arm.ros.gripper
    fingers = tuple((joint, gripper.command) for joint in gripper.reads)
    return MoveItNames(
        model, f'{arm.name}_', settings.group or _group(config, described, arm), base, tip,
        described.solid, hand or (tip,), fingers, parts)


def _known(described: Described, link: str, key: str) -> str:
    if link not in described.names:
        raise ConfigError(f'moveit.{key}: robot_description has no link {link!r}; it has: '
                          f'{", ".join(sorted(described.names))}')
    return link


def _group(config: Mapping[str, Any], described: Described, arm: ArmModel) -> str:
    """The group of the semantic description that has all joints of the arm and no other."""
    wanted = {*arm.joint_names}
    parents = {child: (joint, parent) for joint, (parent, child) in described.ends.items()}
    try:
        groups = ET.fromstring(config.get('robot_description_semantic') or '<robot/>')
    except ET.ParseError as error:
        raise ConfigError(f'moveit: robot_description_semantic is not XML: {error}') from None
    for group in groups.findall('group'):
        joints = {str(joint.get('name')) for joint in group.findall('joint')}
        for chain in group.findall('chain'):
            link = str(chain.get('tip_link'))
            while link in parents and link != chain.get('base_link'):
                joint, link = parents[link]
                joints.add(joint)
        if wanted <= joints:
            return str(group.get('name'))
    return f'{arm.name}_arm'
