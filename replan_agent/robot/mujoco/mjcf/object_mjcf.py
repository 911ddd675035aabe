# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Objects as MuJoCo bodies: boxes, cylinders, spheres, bowls and bins made of boxes, and meshes.

A mesh is defined once, outside the body: `add_meshes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from xml.etree import ElementTree as ET

from replan_agent.domain.shape import BOWL_FLOOR_SHARE, CONTAINER_FLOOR_M, CONTAINER_WALL_M, Shape
from replan_agent.robot.mujoco.scene.placement import Placed
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

from .mjcf_xml import Value, node

BOWL_SEGMENTS = 16

Surface = Mapping[str, Value]
Builder = Callable[[ET.Element, ObjectSpec, Surface], None]


def add_object(world: ET.Element, placed: Placed) -> None:
    """Add one object at its pose; it moves freely unless it is fixed."""
    spec = placed.spec
    body = node(world, 'body', name=spec.name, pos=placed.pose.position,
                quat=placed.pose.quaternion)
    if not spec.fixed:
        node(body, 'freejoint', name=spec.name)
    add_geoms(body, spec)


def add_meshes(root: ET.Element, specs: Iterable[ObjectSpec]) -> None:
    """Define the meshes that the geoms of these objects refer to."""
    asset = node(root, 'asset')
    for spec in specs:
        for k, piece in enumerate(spec.pieces):
            node(asset, 'mesh', name=_piece_name(spec, k), vertex=piece.corners.ravel())
        if spec.texture:
            node(asset, 'texture', name=spec.name, type='cube', file=str(spec.texture))
            node(asset, 'material', name=spec.name, texture=spec.name)


def add_geoms(body: ET.Element, spec: ObjectSpec) -> None:
    """Add the solids of an object. If it has pieces, `add_meshes` defines them."""
    _BUILDERS[spec.shape](body, spec, _surface(spec))


def _surface(spec: ObjectSpec) -> Surface:
    """Contact and colour. The object's friction decides in all its contacts."""
    rolls = spec.shape in (Shape.SPHERE, Shape.CYLINDER, Shape.IRREGULAR)
    return {
        'rgba': (*spec.colour.rgb, 0 if spec.unseen else 1),
        'priority': 1, 'condim': 6 if rolls else 4,
        'friction': (spec.friction, 0.01 * spec.friction, 0.0002),
        'solref': (0.004, 1), 'solimp': (0.95, 0.99, 0.001),
    }


def _primitive(body: ET.Element, spec: ObjectSpec, surface: Surface) -> None:
    x, y, z = (s / 2 for s in spec.size)
    kind, size = {Shape.CYLINDER: ('cylinder', [x, z]), Shape.SPHERE: ('sphere', [x])}.get(
        spec.shape, ('box', [x, y, z]))
    node(body, 'geom', name=spec.name, type=kind, size=size, mass=spec.mass, **surface)


def _bowl(body: ET.Element, spec: ObjectSpec, surface: Surface) -> None:
    """A disc and a ring of boxes that lean outwards up to the rim."""
    rim, height = spec.size[0] / 2, spec.size[2]
    floor = rim * BOWL_FLOOR_SHARE
    half_floor = CONTAINER_FLOOR_M / 2
    node(body, 'geom', name=f'{spec.name}_floor', type='cylinder', size=(floor, half_floor),
         pos=(0, 0, -height / 2 + half_floor), mass=0.4 * spec.mass, **surface)
    # Each wall fills the slope between floor and rim, corner to corner of the outer box.
    lean = math.atan2(rim - floor, height)
    length = (height - CONTAINER_WALL_M * math.sin(lean)) / math.cos(lean)
    middle = (rim + floor) / 2 - CONTAINER_WALL_M / 2 * math.cos(lean)
    half_width = rim * math.tan(math.pi / BOWL_SEGMENTS)
    for k in range(BOWL_SEGMENTS):
        angle = 2 * math.pi * k / BOWL_SEGMENTS
        node(body, 'geom', name=f'{spec.name}_wall{k}', type='box',
             size=(CONTAINER_WALL_M / 2, half_width, length / 2),
             pos=(middle * math.cos(angle), middle * math.sin(angle), 0),
             quat=_turned_and_leaning(angle, lean),
             mass=0.6 * spec.mass / BOWL_SEGMENTS, **surface)


def _turned_and_leaning(angle: float, lean: float) -> tuple[float, float, float, float]:
    """The quaternion that leans z towards x by `lean`, then turns about z by `angle`."""
    cz, sz = math.cos(angle / 2), math.sin(angle / 2)
    cy, sy = math.cos(lean / 2), math.sin(lean / 2)
    return cz * cy, -sz * sy, cz * sy, sz * cy


def _bin(body: ET.Element, spec: ObjectSpec, surface: Surface) -> None:
    """A floor and four walls."""
    x, y, z = (s / 2 for s in spec.size)
    wall = CONTAINER_WALL_M / 2
    parts = {
        'floor': ((0, 0, -z + wall), (x, y, wall)),
        'front': ((x - wall, 0, wall), (wall, y, z - wall)),
        'back': ((-x + wall, 0, wall), (wall, y, z - wall)),
        'left': ((0, y - wall, wall), (x - 2 * wall, wall, z - wall)),
        'right': ((0, -y + wall, wall), (x - 2 * wall, wall, z - wall)),
    }
    for part, (centre, half) in parts.items():
        node(body, 'geom', name=f'{spec.name}_{part}', type='box', pos=centre, size=half,
             mass=spec.mass / len(parts), **surface)


def _pieces(body: ET.Element, spec: ObjectSpec, surface: Surface) -> None:
    """Each convex piece as a mesh, with its share of the mass."""
    volume = sum(piece.volume for piece in spec.pieces)
    if spec.texture:
        surface = {**surface, 'material': spec.name}
    for k, piece in enumerate(spec.pieces):
        node(body, 'geom', name=_piece_name(spec, k), type='mesh', mesh=_piece_name(spec, k),
             mass=spec.mass * piece.volume / volume, **surface)


def _piece_name(spec: ObjectSpec, number: int) -> str:
    return f'{spec.name} piece {number}'  # with a space: never the name of an object in a file


_BUILDERS: Mapping[Shape, Builder] = {
    **dict.fromkeys((Shape.BOX, Shape.WALL, Shape.CYLINDER, Shape.SPHERE), _primitive),
    Shape.BOWL: _bowl, Shape.BIN: _bin, Shape.IRREGULAR: _pieces,
}
