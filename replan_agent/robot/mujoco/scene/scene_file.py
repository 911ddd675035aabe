# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene files: YAML in, a checked SceneSpec out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, replace
from pathlib import Path
from typing import Any

from replan_agent.arms.arm_names import ARM_NAMES, checked_arm, with_arm_beside
from replan_agent.domain.config import ConfigError, build, setting
from replan_agent.domain.scene import Shape
from replan_agent.text.choices import meant
from replan_agent.text.file_bytes import exists
from replan_agent.text.setting import checked_flag, key_path
from replan_agent.text.shown_text import one_line, shown
from replan_agent.text.yaml_text import read_yaml

from . import mesh_object as mesh
from .mesh_pieces import extents
from .scene_spec import FAR_M, CameraSpec, Colour, ObjectSpec, Randomize, SceneSpec, TableSpec
from .scene_values import LONGEST_NAME, NAME, is_number, number, numbers, word, wrong

RESERVED = re.compile(rf'table|floor|world|({"|".join(ARM_NAMES)})_(link\d+|joint\d+|'
                      r'hand|hand_tcp|(left|right)finger|finger_joint\d)')
SHAPES = (*(s.value for s in Shape if s not in (Shape.TABLE, Shape.IRREGULAR)), mesh.MESH)
MASS_KG = 0.1

# What `size` means for each shape (m): how many numbers, and in words.
_SIZES: Mapping[Shape, tuple[tuple[int, ...], str]] = {
    Shape.BOX: ((1, 3), 'one edge length or [x, y, z]'),
    Shape.CYLINDER: ((2,), '[diameter, height]'),
    Shape.SPHERE: ((1,), 'the diameter'),
    Shape.BOWL: ((2,), '[diameter, height]'),
    Shape.BIN: ((3,), '[x, y, z]'),
    Shape.WALL: ((3,), '[x, y, z]'),
}


def list_scenes(directory: Path) -> tuple[str, ...]:
    """The names of the scenes in `directory`, sorted."""
    return tuple(sorted(path.stem for path in directory.glob('*.yaml')))


def load_scene(path_or_name: str | Path, directory: Path) -> SceneSpec:
    """The scene in a YAML file, or the one of that name in `directory`.

    Raises ConfigError, which names the file, the key and what is allowed.
    """
    path = Path(path_or_name)
    is_name = path.suffix not in ('.yaml', '.yml')
    if is_name:
        path = directory / f'{path_or_name}.yaml'
    if not exists(path):
        known = list_scenes(directory)
        hint = meant(path_or_name, known) if is_name else ''
        raise ConfigError(f'no scene {shown(str(path_or_name))} ({one_line(path, 200)} does not '
                          f'exist); {hint}scenes in {directory}: {", ".join(known) or "none"}; or '
                          'give the path of a .yaml file')
    values = with_arm_beside(mesh.from_folder(read_yaml(path), path.resolve().parent), path.parent)
    scene = parse_scene(values, str(path), default_name=path.stem)
    return scene if is_name else replace(scene, file=path.resolve())


def parse_scene(values: Any, where: str, default_name: str = 'scene') -> SceneSpec:
    """The scene in an already parsed mapping. Errors call it `where`."""
    file = build(_SceneFields, values, where)
    if math.dist(file.camera.position, file.camera.look_at) < 1e-3:
        raise wrong(key_path(where, 'camera.look_at'), 'another point than the camera position',
                    file.camera.look_at)
    for place, spec in enumerate(file.objects, 1):
        here = f'{where}: {_called(place, spec.name)}'
        mesh.check_fits(spec, file.table, here)
        _check_on_table(spec, file.table, here)
    return SceneSpec(file.name or default_name, file.description, file.objects, file.table,
                     file.camera, file.robot.model if file.robot else None)


def _called(place: int, name: Any) -> str:
    """An object as an error names it: by its place in the file, and its name if it has one."""
    known = isinstance(name, str) and NAME.fullmatch(name) and len(name) <= LONGEST_NAME
    return f'object {place} ({name})' if known else f'object {place}'


def _check_on_table(spec: ObjectSpec, table: TableSpec, where: str) -> None:
    """Raise ConfigError if a thing that should rest on the table has none below it."""
    (x, y, z), random = spec.position, spec.randomize
    drawn = random is not None and (random.radius or random.x or random.y)
    if z is not None or spec.fixed or drawn:
        return
    (x_low, x_high), (y_low, y_high) = ((middle - side / 2, middle + side / 2)
                                        for middle, side in zip(table.position, table.size))
    if not (x_low <= x <= x_high and y_low <= y <= y_high):
        raise ConfigError(
            f'{key_path(where, "position")}: ({x:g}, {y:g}) m is beside the table, which goes '
            f'from x = {x_low:g} to {x_high:g} m and from y = {y_low:g} to {y_high:g} m; move it, '
            'make the table larger, or give it a z')


def _random(value: Any, where: str) -> Randomize:
    ranges = build(Randomize, value, where)
    if ranges.angle and not ranges.radius:
        raise wrong(key_path(where, 'angle'), 'given together with radius', ranges.angle)
    if ranges.radius and (ranges.x or ranges.y):
        raise wrong(key_path(where, 'radius'), 'absent when x or y is given', ranges.radius)
    return ranges


@dataclass(frozen=True)
class _ObjectFields:
    """An object as the file gives it."""

    name: str = setting(MISSING, 'a name of its own', read=word)
    shape: str = setting(MISSING, f'one of {", ".join(SHAPES)}', choices=SHAPES)
    size: Any = setting(None, 'm; what it is depends on the shape', read=lambda value, _: value)
    file: Path | None = setting(None, 'for a mesh: .obj or .stl', read=mesh.existing_file)
    scale: tuple[float, ...] = setting((1.0,) * 3, 'for a mesh: a factor, or one for each axis',
                                       read=mesh.scale_factors)
    colour: Colour = setting(Colour.named('grey'), 'a name or [r, g, b]', read=Colour.read)
    mass: float | None = setting(None, 'kg', read=number(0.001, 20))
    density: float | None = setting(None, 'for a mesh: kg/m³, instead of mass',
                                    read=number(1, 25_000))
    texture: Path | None = setting(None, 'for a mesh: a .png that is on every side',
                                   read=mesh.texture_file)
    friction: float = setting(0.8, 'sliding coefficient', 0, 5)
    position: tuple[float, ...] | None = setting(
        None, 'm; without z it rests on the table', read=numbers(2, 3, low=-FAR_M, high=FAR_M))
    rpy: tuple[float, float, float] | None = setting(
        None, 'roll, pitch and yaw, rad', read=numbers(3, low=-math.tau, high=math.tau))
    yaw: float | None = setting(None, 'rad', read=number(-math.tau, math.tau))
    fixed: bool | None = setting(None, 'whether it stays where it is', read=checked_flag)
    randomize: Randomize | None = setting(None, 'ranges that the seed draws from', read=_random)
    unseen: bool = setting(False, 'clear as glass')
    alias: str = setting('', 'what the camera calls a thing of this size and colour', read=word)

    def spec(self, where: str) -> ObjectSpec:
        """The object, after the checks that need more than one key."""
        if self.shape == mesh.MESH:
            return self._mesh(where)
        self._refuse(where, f'given only for shape {mesh.MESH}', 'file', 'density', 'texture')
        shape = Shape(self.shape)
        if shape is Shape.WALL and self.fixed is False:
            raise wrong(key_path(where, 'fixed'), 'true for a wall', self.fixed)
        return ObjectSpec(
            self.name, shape, _extents(self.size, shape, key_path(where, 'size')), self.colour,
            self._place(where), self._turn(where), self.mass or MASS_KG, self.friction,
            shape is Shape.WALL if self.fixed is None else self.fixed, self.randomize, self.unseen,
            alias=self.alias)

    def _mesh(self, where: str) -> ObjectSpec:
        """An irregular object, from its file."""
        self._refuse(where, f'absent for shape {mesh.MESH}: its file and scale give it', 'size')
        if self.file is None:
            raise ConfigError(f'{key_path(where, "file")}: it is missing; a mesh, .obj or .stl')
        if self.density is not None:
            self._refuse(where, 'absent when density is given', 'mass')
        pieces = mesh.mesh_pieces(self.file, self.scale, where)
        mass = self.mass or MASS_KG
        if self.density is not None:
            mass = mesh.mass_of(pieces, self.density, where)
        return ObjectSpec(
            self.name, Shape.IRREGULAR, extents(pieces), self.colour, self._place(where),
            self._turn(where), mass, self.friction, bool(self.fixed), self.randomize, self.unseen,
            pieces, self.texture, self.alias)

    def _refuse(self, where: str, rule: str, *keys: str) -> None:
        for key in keys:
            if getattr(self, key) is not None:
                raise wrong(key_path(where, key), rule, getattr(self, key))

    def _turn(self, where: str) -> tuple[float, float, float]:
        if self.rpy is not None and self.yaw is not None:
            raise wrong(key_path(where, 'yaw'), 'absent when rpy is given', self.yaw)
        return self.rpy or (0.0, 0.0, self.yaw or 0.0)

    def _place(self, where: str) -> tuple[float, float, float | None]:
        random = self.randomize
        drawn = random is not None and bool(random.radius or random.x and random.y)
        if drawn and self.position is not None and len(self.position) == 2:
            raise wrong(key_path(where, 'position'), 'absent when randomize gives x and y, or a '
                        'radius (only a z would count)', self.position)
        if self.position is None and not drawn:
            raise ConfigError(f'{key_path(where, "position")}: it is missing, and randomize does '
                              'not give both x and y, or a radius')
        x, y, *z = self.position or (0.5, 0.0)
        return x, y, z[0] if z else None


def _extents(value: Any, shape: Shape, where: str) -> tuple[float, float, float]:
    """The full extents (m) of a shape with that size."""
    counts, meaning = _SIZES[shape]
    least = 0.02 if shape in (Shape.BOWL, Shape.BIN) else 0.002
    if value is None:
        raise ConfigError(f'{where}: it is missing; {meaning} of a {shape.value}, m')
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(given) not in counts or not all(is_number(v, least, FAR_M) for v in given):
        raise wrong(where, f'{meaning} of a {shape.value}, each {least:g} to {FAR_M:g} m', value)
    x, y, z = given * 3 if len(given) == 1 else given if len(given) == 3 else (given[0], *given)
    return float(x), float(y), float(z)


def _objects(values: Any, where: str) -> tuple[ObjectSpec, ...]:
    if values is None:  # all are commented out
        return ()
    if not isinstance(values, list):
        raise wrong(where, 'a list of objects', values)
    specs: dict[str, ObjectSpec] = {}
    for place, value in enumerate(values, 1):
        name = value.get('name') if isinstance(value, dict) else None
        here = f'{where.removesuffix("objects")}{_called(place, name)}'
        spec = build(_ObjectFields, value, here).spec(here)
        if RESERVED.fullmatch(spec.name):
            raise ConfigError(f'{here}.name: {spec.name!r} is taken: it is the name of a part of '
                              'the arm, or of the world around it')
        if spec.name in specs:
            raise ConfigError(f'{here}.name: {spec.name!r} is taken; names in use: '
                              f'{", ".join(specs)}')
        specs[spec.name] = spec
    return tuple(specs.values())


@dataclass(frozen=True)
class _ArmFields:
    model: str = setting(MISSING, f'one of {", ".join(ARM_NAMES)}', read=checked_arm)


@dataclass(frozen=True)
class _SceneFields:
    """A scene as the file gives it."""

    name: str = setting('', "empty: the file's name")
    description: str = setting('', 'what it shows')
    robot: _ArmFields | None = setting(None, 'the arm it asks for',
                                       read=lambda value, where: build(_ArmFields, value, where))
    table: TableSpec = field(default_factory=TableSpec)
    camera: CameraSpec = field(default_factory=CameraSpec)
    objects: tuple[ObjectSpec, ...] = setting((), 'what is on the table', read=_objects)
