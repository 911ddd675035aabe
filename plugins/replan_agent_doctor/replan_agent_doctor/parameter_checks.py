# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters that ROS ignores without a word: names that no node declares, types that lose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from replan_agent.app.build.plugins import installed_names
from replan_agent.domain.config import Config
from replan_agent.ros.arm.arm_interfaces import (
    ArmInterfaces,
    CameraInterfaces,
    HandCameraInterfaces,
)
from replan_agent.ros.node_settings import (
    AgentSettings,
    GuardSettings,
    PerceptionSettings,
    PlannerSettings,
    SkillSettings,
)
from replan_agent.ros.nodes.starter_node import StarterSettings
from replan_agent.text.choices import meant
from replan_agent.text.plain_values import flat

from .findings import Finding, found
from .machine_checks import OURS

DECLARED = (AgentSettings, PlannerSettings, PerceptionSettings, SkillSettings, GuardSettings,
            StarterSettings, ArmInterfaces, CameraInterfaces, HandCameraInterfaces)
BESIDE = (('replan_agent_sim.sim_node', 'SimConfig'),
          ('replan_agent_calibrate.camera_pose_node', 'CameraPoseSettings'))
SECTIONS = (*OURS, 'doctor', 'sim_node', 'camera_pose_node', 'hand_camera_pose_node')
EVERY_NODE = {'use_sim_time': False, 'autostart': True, 'start_type_description_service': True}
EVERYONE = ('*', '**')  # the last word of a section for all nodes
KINDS = {bool: 'true or false', int: 'an integer', float: 'a float', str: 'a word',
         list: 'a list', tuple: 'a list'}
GROUP = 'motion_planner'  # whose packages declare parameters of their own: moveit.planner_id


class _AsRcl(yaml.SafeLoader):
    """Reads 1e-3 as a number, as the nodes do."""


_AsRcl.add_implicit_resolver('tag:yaml.org,2002:float', re.compile(
    r'^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$'), list('-+.0123456789'))


@dataclass(frozen=True)
class Given:
    """One value of one parameter: for which nodes, and where it is written."""

    node: str
    name: str
    value: Any
    where: str

    @property
    def kind(self) -> str:
        return KINDS.get(type(self.value), KINDS[str])

    @property
    def told(self) -> str:
        return f'{self.name} ({self.where})'

    def reaches(self, other: Given) -> bool:
        """Whether a node has both values."""
        nodes = {self.node, other.node}
        return self.name == other.name and (len(nodes) == 1 or not nodes.isdisjoint(EVERYONE))


def parameters(words: Sequence[str]) -> Finding:
    """Of a command line with `--ros-args`: whether the nodes read all that it gives, as given."""
    given = [one for one in _given(words) if one.node in (*SECTIONS, *EVERYONE)]
    known = _known()
    if any(one.name not in known for one in given):
        known |= _known_beside()
    groups = (*installed_names(Config.__dataclass_fields__[GROUP].metadata['plug_ins']),
              'qos_overrides')
    given = [one for one in given if one.name.split('.')[0] not in groups]
    problems, whole = list[str](), list[str]()
    for one in given:
        if one.name not in known:
            problems.append(f'no node of ours declares {one.told}'
                            f'; {meant(one.name, known)}'.rstrip('; '))
            continue
        kind = KINDS[type(known[one.name])]
        is_whole = kind == KINDS[float] and one.kind == KINDS[int]
        if is_whole and (other := next((two for two in given if one.reaches(two)
                                        and two.kind == KINDS[float]), None)):
            problems.append(f'{one.told} is an integer: it wins over the float '
                            f'{other.value:g} ({other.where})')
        elif is_whole:
            whole.append(one.told)
        elif one.value is not None and one.kind != kind:
            problems.append(f'{one.told} is {one.kind}, declared is {kind}')
    hint = f'; write 1.0 for 1, for an integer wins over a later float: {", ".join(whole)}'
    seen = f'{len(given)} given, all are declared' if not problems else '; '.join(problems)
    return found('parameters', not problems, seen + (hint if whole else ''), 'ROS ignores a name '
                 'that nobody declares: config/ros_sim.yaml has all; parameters of other nodes '
                 'belong in a section with the name of their node')


def _known() -> dict[str, Any]:
    """Every parameter that a node of ours declares, with its default."""
    return EVERY_NODE | {name: value for cls in DECLARED
                         for name, value in flat(asdict(cls())).items()}


def _known_beside() -> dict[str, Any]:
    """The same of the packages beside the core, as far as they are installed."""
    names: dict[str, Any] = {}
    for module, cls in BESIDE:
        try:
            names |= flat(asdict(getattr(import_module(module), cls)()))
        except ImportError:
            continue
    return names


def _given(words: Sequence[str]) -> Iterator[Given]:
    for option, said in zip(words, words[1:]):
        if option == '--params-file':
            for node, values in _sections(_read(Path(said).read_text('utf-8')), '**'):
                for name, value in flat(values).items():
                    yield Given(node, name, value, Path(said).name)
        elif option in ('-p', '--param'):
            to, _, value = said.partition(':=')
            node, _, name = to.rpartition(':')
            yield Given(node.rsplit('/', 1)[-1] or '**', name, _read(value), '-p')


def _read(text: str) -> Any:
    return yaml.load(text, _AsRcl)  # noqa: S506 it is a SafeLoader


def _sections(values: Any, node: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parameters in a file, with the last word of the node's name above them."""
    for key, inside in values.items() if isinstance(values, Mapping) else ():
        if key == 'ros__parameters':
            yield node, inside or {}
        else:
            yield from _sections(inside, str(key).rsplit('/', 1)[-1])
