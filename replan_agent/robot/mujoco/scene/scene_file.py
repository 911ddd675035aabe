"""Scene files: YAML in, a checked SceneSpec out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from replan_agent.domain.franka import MODELS
from replan_agent.domain.scene import Shape

from .fields import Fields, SceneError
from .scene_spec import (
    COLOURS,
    CameraNoise,
    CameraSpec,
    Colour,
    ObjectSpec,
    Randomize,
    SceneSpec,
    TableSpec,
)

SCENE_KEYS = ('name', 'description', 'robot', 'table', 'camera', 'objects')
TABLE_KEYS = ('size', 'position', 'height', 'thickness', 'colour', 'friction')
CAMERA_KEYS = ('position', 'look_at', 'fovy', 'size', 'noise')
NOISE_KEYS = ('depth_sigma', 'dropout', 'exposure', 'calibration_mm', 'calibration_deg')
OBJECT_KEYS = ('name', 'shape', 'size', 'colour', 'mass', 'friction', 'position', 'rpy', 'yaw',
               'fixed', 'randomize', 'unseen')
RANDOMIZE_KEYS = ('x', 'y', 'radius', 'angle', 'yaw')
RESERVED = frozenset({'table', 'floor'})
SHAPES = tuple(shape.value for shape in Shape if shape is not Shape.TABLE)
NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*')
FAR_M = 3.0  # nothing of a table-top scene is farther from the base


def list_scenes(directory: Path) -> tuple[str, ...]:
    """The names of the scenes in `directory`, sorted."""
    return tuple(sorted(path.stem for path in directory.glob('*.yaml')))


def load_scene(path_or_name: str | Path, directory: Path) -> SceneSpec:
    """The scene in a YAML file, or the one of that name in `directory`.

    Raises SceneError, which names the file, the key and what is allowed.
    """
    path = Path(path_or_name)
    is_name = path.suffix not in ('.yaml', '.yml')
    if is_name:
        path = directory / f'{path_or_name}.yaml'
    if not path.is_file():
        known = ', '.join(list_scenes(directory)) or 'none'
        raise SceneError(f'no scene {str(path_or_name)!r} ({path} does not exist); scenes in '
                         f'{directory}: {known}; or give the path of a .yaml file')
    try:
        values = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SceneError(f'{path}: is not YAML: {error}') from error
    scene = parse_scene(values, str(path), default_name=path.stem)
    return scene if is_name else replace(scene, file=path.resolve())


def parse_scene(values: Any, where: str, default_name: str = 'scene') -> SceneSpec:
    """The scene in an already parsed mapping; errors call it `where`."""
    fields = Fields(values, where, SCENE_KEYS)
    table = _table(fields)
    return SceneSpec(name=fields.text('name', default_name),
                     description=fields.text('description', ''),
                     objects=_objects(fields), table=table, camera=_camera(fields),
                     model=_model(fields))


def _model(scene: Fields) -> str | None:
    if not scene.has('robot'):
        return None
    return Fields(scene.raw('robot'), scene.path('robot'), ('model',)).choice('model', MODELS)


def _table(scene: Fields) -> TableSpec:
    default = TableSpec()
    if not scene.has('table'):
        return default
    fields = Fields(scene.raw('table'), scene.path('table'), TABLE_KEYS)
    width, depth = fields.numbers('size', (2,), 0.2, 2 * FAR_M, default.size)
    x, y = fields.numbers('position', (2,), -FAR_M, FAR_M, default.position)
    return TableSpec(size=(width, depth), position=(x, y),
                     height=fields.number('height', -0.7, 0.7, default.height),
                     thickness=fields.number('thickness', 0.01, 0.2, default.thickness),
                     colour=_colour(fields, default.colour),
                     friction=fields.number('friction', 0, 5, default.friction))


def _camera(scene: Fields) -> CameraSpec:
    default = CameraSpec()
    if not scene.has('camera'):
        return default
    fields = Fields(scene.raw('camera'), scene.path('camera'), CAMERA_KEYS)
    position = fields.numbers('position', (3,), -10, 10, default.position)
    look_at = fields.numbers('look_at', (3,), -10, 10, default.look_at)
    if math.dist(position, look_at) < 1e-3:
        raise fields.fail('look_at', 'another point than the camera position')
    size = fields.numbers('size', (2,), 16, 4096, default.size)
    return CameraSpec(position=position, look_at=look_at,  # type: ignore[arg-type]
                      fovy=fields.number('fovy', 5, 120, default.fovy),
                      size=(int(size[0]), int(size[1])), noise=_noise(fields))


def _noise(camera: Fields) -> CameraNoise:
    default = CameraNoise()
    if not camera.has('noise'):
        return default
    fields = Fields(camera.raw('noise'), camera.path('noise'), NOISE_KEYS)
    return CameraNoise(
        depth_sigma=fields.number('depth_sigma', 0, 0.1, default.depth_sigma),
        dropout=fields.number('dropout', 0, 0.95, default.dropout),
        exposure=fields.number('exposure', 0.1, 5, default.exposure),
        calibration_mm=fields.number('calibration_mm', 0, 100, default.calibration_mm),
        calibration_deg=fields.number('calibration_deg', 0, 10, default.calibration_deg))


def _objects(scene: Fields) -> tuple[ObjectSpec, ...]:
    values = scene.raw('objects')
    if values is None:
        return ()
    if not isinstance(values, list):
        raise scene.fail('objects', 'a list of objects')
    specs: dict[str, ObjectSpec] = {}
    for i, value in enumerate(values):
        spec = _object(value, scene.path(f'objects[{i}]'))
        if spec.name in specs or spec.name in RESERVED:
            taken = ', '.join([*sorted(RESERVED), *specs])
            raise SceneError(f'{scene.path(f"objects[{i}]")}.name: {spec.name!r} is taken; '
                             f'names in use: {taken}')
        specs[spec.name] = spec
    return tuple(specs.values())


def _object(value: Any, where: str) -> ObjectSpec:
    fields = Fields(value, where, OBJECT_KEYS)
    name = fields.text('name')
    if not NAME.fullmatch(name):
        raise fields.fail('name', 'a word of letters, digits and _, starting with a letter')
    shape = Shape(fields.choice('shape', SHAPES))
    fixed = fields.flag('fixed', shape is Shape.WALL)
    if shape is Shape.WALL and not fixed:
        raise fields.fail('fixed', 'true for a wall')
    randomize = _randomize(fields)
    return ObjectSpec(name=name, shape=shape, size=_size(fields, shape),
                      colour=_colour(fields, Colour.named('grey')),
                      position=_position(fields, randomize), rpy=_rpy(fields),
                      mass=fields.number('mass', 0.001, 20, 0.1),
                      friction=fields.number('friction', 0, 5, 0.8), fixed=fixed,
                      randomize=randomize, unseen=fields.flag('unseen', False))


# What `size` means for each shape (m): how many numbers, in words, and as full extents.
_SIZES: Mapping[Shape, tuple[tuple[int, ...], str]] = {
    Shape.BOX: ((1, 3), 'one edge length or [x, y, z]'),
    Shape.CYLINDER: ((2,), '[diameter, height]'),
    Shape.SPHERE: ((1,), 'the diameter'),
    Shape.BOWL: ((2,), '[diameter, height]'),
    Shape.BIN: ((3,), '[x, y, z]'),
    Shape.WALL: ((3,), '[x, y, z]'),
}


def _size(fields: Fields, shape: Shape) -> tuple[float, float, float]:
    counts, meaning = _SIZES[shape]
    raw = fields.raw('size')
    numbers = list(raw) if isinstance(raw, (list, tuple)) else [raw]
    legal = all(isinstance(v, (int, float)) and not isinstance(v, bool) and 0.002 <= v <= FAR_M
                for v in numbers)
    if not legal or len(numbers) not in counts:
        raise fields.fail('size', f'{meaning} of a {shape.value}, each 0.002 to {FAR_M:g} m')
    if len(numbers) == 1:
        numbers = numbers * 3
    elif len(numbers) == 2:
        numbers = [numbers[0], *numbers]
    if shape in (Shape.BOWL, Shape.BIN) and min(numbers) < 0.02:
        raise fields.fail('size', f'{meaning} of a {shape.value}, each at least 0.02 m')
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _position(fields: Fields, randomize: Randomize | None) -> tuple[float, float, float | None]:
    covered = randomize and (randomize.radius or (randomize.x and randomize.y))
    default = (0.5, 0.0) if covered else None
    x, y, *z = fields.numbers('position', (2, 3), -FAR_M, FAR_M, default)
    return x, y, z[0] if z else None


def _rpy(fields: Fields) -> tuple[float, float, float]:
    if fields.has('rpy') and fields.has('yaw'):
        raise fields.fail('yaw', 'absent when rpy is given')
    if fields.has('yaw'):
        return 0.0, 0.0, fields.number('yaw', -2 * math.pi, 2 * math.pi)
    roll, pitch, yaw = fields.numbers('rpy', (3,), -2 * math.pi, 2 * math.pi, (0.0, 0.0, 0.0))
    return roll, pitch, yaw


def _randomize(fields: Fields) -> Randomize | None:
    if not fields.has('randomize'):
        return None
    ranges = Fields(fields.raw('randomize'), fields.path('randomize'), RANDOMIZE_KEYS)
    if ranges.has('angle') and not ranges.has('radius'):
        raise ranges.fail('angle', 'given together with radius')
    if ranges.has('radius') and (ranges.has('x') or ranges.has('y')):
        raise ranges.fail('radius', 'absent when x or y is given')
    return Randomize(x=ranges.range('x', -FAR_M, FAR_M), y=ranges.range('y', -FAR_M, FAR_M),
                     radius=ranges.range('radius', 0, FAR_M),
                     angle=ranges.range('angle', -math.pi, math.pi),
                     yaw=ranges.range('yaw', -2 * math.pi, 2 * math.pi))


def _colour(fields: Fields, default: Colour) -> Colour:
    value = fields.raw('colour')
    if value is None and not fields.has('colour'):
        return default
    if isinstance(value, str) and value in COLOURS:
        return Colour.named(value)
    if isinstance(value, list):
        r, g, b = fields.numbers('colour', (3,), 0, 1)
        return Colour('', (r, g, b))
    raise fields.fail('colour', f'one of {", ".join(COLOURS)}, or [r, g, b] from 0 to 1')
