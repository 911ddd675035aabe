"""What a MoveIt model calls the parts of the arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError

from .moveit_settings import MoveItSettings

HAND = ('hand', 'leftfinger', 'rightfinger')
GRIPPER = 'gripper'  # the name of the hand and its fingers in allowed contacts


@dataclass(frozen=True)
class MoveItNames:
    """Our model of the arm, and what MoveIt's model calls its parts.

    `links` are the links that can touch something. `tip` moves with the hand.
    """

    model: str
    prefix: str
    group: str
    tip: str
    links: tuple[str, ...]

    @property
    def base(self) -> str:
        return f'{self.prefix}_link0'

    @property
    def hand(self) -> tuple[str, ...]:
        return tuple(f'{self.prefix}_{part}' for part in HAND)

    @property
    def fingers(self) -> tuple[str, ...]:
        """The joints of the fingers."""
        return tuple(f'{self.prefix}_finger_joint{k}' for k in (1, 2))

    def of_part(self, name: str) -> tuple[str, ...]:
        """The links of a part of the arm that our collision checker names; empty if none."""
        if name == GRIPPER:
            return self.hand
        ours, theirs = f'{self.model}_', f'{self.prefix}_'
        link = theirs + name[len(ours):] if name.startswith(ours) else name
        return (link,) if link in self.links else ()


def arm_names(config: Mapping[str, Any], arm: ArmModel, settings: MoveItSettings) -> MoveItNames:
    """The names in a MoveIt configuration. Raises ConfigError if it describes another arm."""
    try:
        links = [*ET.fromstring(config['robot_description']).iter('link')]
    except ET.ParseError as error:
        raise ConfigError(f'moveit: robot_description is not XML: {error}') from None
    names = {str(link.get('name')) for link in links}
    prefixes = (arm.name, *arm.other_names)
    prefix = next((p for p in prefixes if f'{p}_link0' in names), None)
    if prefix is None:
        raise ConfigError(f'moveit: robot_description has no link {prefixes[0]}_link0, so it is '
                          f'not the arm of robot.model ({arm.name})')
    tip = settings.tip_link or f'{prefix}_hand'
    if tip not in names:
        raise ConfigError(f'moveit.tip_link: robot_description has no link {tip!r}; it has: '
                          f'{", ".join(sorted(names))}')
    solid = tuple(str(link.get('name')) for link in links if link.find('collision') is not None)
    return MoveItNames(arm.name, prefix, settings.group or f'{prefix}_arm', tip, solid)
