# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene files with furniture: a cabinet with drawers or a door, a box with a lid, a panel.

The cabinet itself is an object that stays where it is. Its drawers slide out of its front, which
is on the side of its own -x: at yaw 0 they open towards the robot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent import ConfigError, Pose, SceneSpec
from replan_agent.domain.config import build, setting
from replan_agent.domain.scene import CONTAINERS, Shape
from replan_agent.robot.mujoco.scene.scene_file import parse_scene
from replan_agent.robot.mujoco.scene.scene_spec import FAR_M, Colour, ObjectSpec
from replan_agent.robot.mujoco.scene.scene_values import numbers, word, wrong
from replan_agent.text.setting import key_path
from replan_agent.text.yaml_text import read_yaml

from .controls import ButtonFields, KnobFields, controls
from .furnished_scene import FurnishedScene, PersonFields
from .grains import GrainFields
from .joint import JointKind
from .part import Part, PartFields, box
from .peg_board import HoleFields, peg_board
from .stain import StainFields

PANEL_M = 0.012
GAP_M = 0.004  # between a drawer and what is around it
HANDLE_OFF_M = 0.045  # from the front to the middle of the bar: a finger fits in between
HANDLE_M = 0.012  # how thick the bar is
HANDLE_SHARE = 0.4  # of the width of the drawer
HANDLE_IN_M = 0.04  # from the edge of a door
SWING = 1.2  # rad
LID_SWING, LID_KG = 1.4, 0.3
BESIDE = ('furniture', 'person', 'stains', 'grains')  # keys beside those of every scene
SCENES = Path(__file__).parent / 'scenes'


@dataclass(frozen=True)
class _DoorFields(PartFields):
    hinge: str = setting('left', 'on which side', choices=('left', 'right'))


@dataclass(frozen=True)
class _CabinetFields:
    """A cabinet as the file gives it."""

    name: str = setting(MISSING, 'a name of its own', read=word)
    size: tuple[float, float, float] = setting(MISSING, '[depth, width, height], m',
                                               read=numbers(3, low=0.05, high=1))
    position: tuple[float, float] = setting(MISSING, 'x and y of its middle, m',
                                            read=numbers(2, low=-FAR_M, high=FAR_M))
    yaw: float = setting(0.0, 'rad; at 0 its front is towards the robot', -6.3, 6.3)
    colour: Colour = setting(Colour.named('brown'), 'a name or [r, g, b]', read=Colour.read)
    drawers: tuple[PartFields, ...] = setting(
        (), 'from the lowest to the highest',
        read=lambda value, where: _each(PartFields, value, where))
    door: _DoorFields | None = setting(
        None, 'instead of drawers', read=lambda value, where: build(_DoorFields, value, where))
    lid: PartFields | None = setting(
        None, 'of a box, instead of drawers',
        read=lambda value, where: build(PartFields, value, where))
    buttons: tuple[ButtonFields, ...] = setting(
        (), 'on a panel, from left to right, instead of drawers',
        read=lambda value, where: _each(ButtonFields, value, where))
    knobs: tuple[KnobFields, ...] = setting(
        (), 'on a panel, from left to right, after its buttons',
        read=lambda value, where: _each(KnobFields, value, where))
    holes: tuple[HoleFields, ...] = setting(
        (), 'in the top of a peg board, from left to right, instead of drawers',
        read=lambda value, where: _each(HoleFields, value, where))


def load_furnished(name_or_file: str) -> tuple[SceneSpec, tuple[Part, ...]]:
    """The scene, its drawers and doors. The name is that of a file of this package, or its path.

    Raises ConfigError, which names the file, the key and what is allowed.
    """
    path = Path(name_or_file)
    if path.suffix not in ('.yaml', '.yml'):
        path = SCENES / f'{name_or_file}.yaml'
    if not path.exists():
        known = ', '.join(sorted(file.stem for file in SCENES.glob('*.yaml')))
        raise ConfigError(f'no furnished scene {name_or_file!r}; choose from: {known}; or give '
                          'the path of a .yaml file')
    return parse_furnished(read_yaml(path), str(path), path.stem)


def parse_furnished(values: Any, where: str, name: str = 'scene'
                    ) -> tuple[SceneSpec, tuple[Part, ...]]:
    """The scene and its drawers and doors in an already parsed mapping. Errors call it `where`."""
    if not isinstance(values, Mapping):
        raise wrong(where, 'a mapping', values)
    plain = {key: value for key, value in values.items() if key not in BESIDE}
    scene = parse_scene(plain, where, name)
    cabinets = _each(_CabinetFields, values.get('furniture') or [], f'{where}: furniture')
    found = [_cabinet(fields, where, scene.table.height) for fields in cabinets]
    objects = (*scene.objects, *(one for solids, _ in found for one in solids))
    parts = tuple(replace(part, handle=f'handle_{number}' if part.bar else '')
                  for number, part in enumerate((p for _, its in found for p in its), 1))
    names = [*(o.name for o in objects),
             *(name for part in parts for name in (part.name, part.handle) if name)]
    person = build(PersonFields, values['person'], f'{where}: person') if (
        values.get('person') is not None) else None
    stains = _each(StainFields, values.get('stains') or [], f'{where}: stains')
    names += [stain.name for stain in stains]
    twice = [each for each in names if names.count(each) > 1]
    if twice:
        raise ConfigError(f'{where}: the name {twice[0]!r} is taken')
    grains = _each(GrainFields, values.get('grains') or [], f'{where}: grains')
    holders = [o.name for o in objects if o.shape in CONTAINERS]
    for one in grains:
        if one.holder not in holders:
            raise wrong(f'{where}: grains', f'one of {", ".join(holders) or "no container"}',
                        one.holder)
    whole = FurnishedScene(**{**vars(scene), 'objects': objects}, person=person, stains=stains,
                           grains=grains)
    return whole, parts


def _each(kind: Any, values: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise wrong(where, 'a list', values)
    return tuple(build(kind, value, f'{where}: {place}') for place, value in enumerate(values, 1))


def _cabinet(fields: _CabinetFields, where: str, table_z: float
             ) -> tuple[tuple[ObjectSpec, ...], tuple[Part, ...]]:
    here = f'{where}: {fields.name}'
    depth, width, height = fields.size
    given = (*fields.buttons, *fields.knobs)
    if [bool(fields.drawers), fields.door is not None, fields.lid is not None,
            bool(given), bool(fields.holes)].count(True) != 1:
        raise wrong(key_path(here, 'drawers'), 'a list of drawers, or absent if there is a door, '
                    'a lid, buttons and knobs, or holes', [each.name for each in fields.drawers])
    at = (*fields.position, table_z + height / 2)
    if fields.holes:
        return tuple(peg_board(fields.name, fields.size, at, fields.yaw, fields.colour,
                               fields.holes, here)), ()
    if fields.lid is not None:
        chest = ObjectSpec(fields.name, Shape.BIN, fields.size, fields.colour, at,
                           (0.0, 0.0, fields.yaw), fixed=True)
        return (chest,), (_checked(_lid(fields), here),)
    if given:
        panel = ObjectSpec(fields.name, Shape.BOX, fields.size, fields.colour, at,
                           (0.0, 0.0, fields.yaw), fixed=True)
        return (panel,), tuple(_checked(part, here) for part in controls(
            fields.name, fields.size, given, here))
    panels = [box((0, 0, side * (height - PANEL_M) / 2), (depth, width, PANEL_M))
              for side in (-1, 1)]
    panels += [box((0, side * (width - PANEL_M) / 2, 0), (depth, PANEL_M, height))
               for side in (-1, 1)]
    panels.append(box(((depth - PANEL_M) / 2, 0, 0), (PANEL_M, width, height)))
    cabinet = ObjectSpec(fields.name, Shape.IRREGULAR, fields.size, fields.colour,
                         at, (0.0, 0.0, fields.yaw), fixed=True, pieces=tuple(panels))
    parts = tuple(_drawers(fields, here)) if fields.drawers else (_door(fields),)
    return (cabinet,), tuple(_checked(part, here) for part in parts)


def _checked(part: Part, here: str) -> Part:
    if part.given.open > part.travel:
        raise wrong(key_path(f'{here}: {part.name}', 'open'), f'at most {part.travel:g}',
                    part.given.open)
    return part


def _drawers(fields: _CabinetFields, here: str) -> Iterator[Part]:
    """They share the height, and slide out of the front."""
    depth, width, height = fields.size
    storey = (height - 2 * PANEL_M) / len(fields.drawers)
    size = (depth - PANEL_M - GAP_M, width - 2 * (PANEL_M + GAP_M), storey - 2 * GAP_M)
    if size[2] < HANDLE_M + 0.02:
        raise wrong(key_path(here, 'drawers'), f'fewer drawers: each is {size[2]:.3f} m high',
                    len(fields.drawers))
    bar = Pose.from_rpy(-size[0] / 2 - HANDLE_OFF_M, 0.0, 0.0, roll=math.pi / 2)
    for place, one in enumerate(fields.drawers):
        travel = one.travel or round(2 / 3 * size[0], 3)
        if travel > size[0]:
            raise wrong(key_path(f'{here}: {one.name}', 'travel'),
                        f'at most the {size[0]:.3f} m of its length', travel)
        centre = ((size[0] - depth) / 2, 0.0, -height / 2 + PANEL_M + (place + 0.5) * storey)
        yield Part(one.name, fields.name, Shape.BIN, size, Pose(centre), JointKind.SLIDE,
                   (-1.0, 0.0, 0.0), centre, travel, one, bar, HANDLE_SHARE * size[1])


def _door(fields: _CabinetFields) -> Part:
    """It covers the front, just above the table. Its handle is opposite the hinge."""
    (depth, width, height), one = fields.size, fields.door
    assert one is not None
    side = 1 if one.hinge == 'left' else -1
    bar = Pose((-PANEL_M / 2 - HANDLE_OFF_M, side * (HANDLE_IN_M - width / 2), 0.0))
    return Part(one.name, fields.name, Shape.BOX, (PANEL_M, width, height - 4 * GAP_M),
                Pose((-(depth + PANEL_M) / 2 - GAP_M, 0.0, 0.0)), JointKind.HINGE,
                (0.0, 0.0, float(-side)), (-depth / 2 - GAP_M, side * width / 2, 0.0),
                one.travel or SWING, one, bar, HANDLE_SHARE * height)


def _lid(fields: _CabinetFields) -> Part:
    """It lies on the box, with its hinge on the far side and its handle on top."""
    (depth, width, height), one = fields.size, fields.lid
    assert one is not None
    bar = Pose.from_rpy(HANDLE_IN_M - depth / 2, 0.0, PANEL_M / 2 + HANDLE_OFF_M,
                        roll=math.pi / 2)
    return Part(one.name, fields.name, Shape.BOX, (depth, width, PANEL_M),
                Pose((0.0, 0.0, (height + PANEL_M) / 2 + GAP_M)), JointKind.HINGE,
                (0.0, 1.0, 0.0), (depth / 2, 0.0, height / 2 + GAP_M), one.travel or LID_SWING,
                one, bar, HANDLE_SHARE * width, (0.0, 0.0, -1.0), mass_kg=LID_KG,
                shuts=fields.name)
