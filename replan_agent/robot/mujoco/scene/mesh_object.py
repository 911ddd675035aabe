# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The keys of a scene file for `shape: mesh`: its pieces, size and mass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.domain.config import ConfigError
from replan_agent.domain.piece import Piece
from replan_agent.text.setting import key_path

from .mesh_file import MeshError
from .mesh_pieces import extents, pieces_of_file
from .scene_spec import ObjectSpec, TableSpec
from .scene_values import is_number, numbers, wrong

MESH = 'mesh'
FILES = ('file', 'texture')  # keys whose value is a path
SCALES = (1e-6, 1e3)
HEAVIEST_KG = 20.0
PNG = b'\x89PNG\r\n\x1a\n'  # how such a file begins


def scale_factors(value: Any, where: str) -> tuple[float, ...]:
    """One factor, or one for each axis."""
    if is_number(value, *SCALES):
        return (float(value),) * 3
    if not isinstance(value, (list, tuple)):
        raise wrong(where, f'a number from {SCALES[0]:g} to {SCALES[1]:g}, or a list of 3 of them',
                    value)
    factors: tuple[float, ...] = numbers(3, low=SCALES[0], high=SCALES[1])(value, where)
    return factors


def from_folder(values: Any, folder: Path) -> Any:
    """The values of a scene file, with the mesh files of its objects seen from its folder."""
    objects = values.get('objects') if isinstance(values, Mapping) else None
    if not isinstance(objects, list):
        return values
    return {**values, 'objects': [_with_paths(one, folder) for one in objects]}


def _with_paths(one: Any, folder: Path) -> Any:
    if not isinstance(one, Mapping):
        return one
    return {key: str(folder / value) if key in FILES and isinstance(value, str) else value
            for key, value in one.items()}


def existing_file(value: Any, where: str) -> Path:
    """The path of a file that is there."""
    if not isinstance(value, str):
        raise wrong(where, 'the path of a file', value)
    if not Path(value).is_file():
        why = 'is not a file' if Path(value).exists() else 'does not exist'
        raise ConfigError(f'{where}: {value}: it {why}')
    return Path(value)


def texture_file(value: Any, where: str) -> Path:
    """The path of a PNG picture."""
    path = existing_file(value, where)
    with path.open('rb') as file:
        if file.read(len(PNG)) != PNG:
            raise ConfigError(f'{where}: {path}: it is not a PNG picture')
    return path


def mesh_pieces(file: Path, scale: Sequence[float], where: str) -> tuple[Piece, ...]:
    """The pieces of the mesh file that an object at `where` names."""
    try:
        return pieces_of_file(file, np.asarray(scale, dtype=float))
    except MeshError as error:
        raise ConfigError(f'{key_path(where, "file")}: {file}: {error}') from error


def mass_of(pieces: Sequence[Piece], density: float, where: str) -> float:
    """The mass (kg) of pieces of this density (kg/m³)."""
    mass = density * sum(piece.volume for piece in pieces)
    if not 0.001 <= mass <= HEAVIEST_KG:
        raise ConfigError(f'{key_path(where, "density")}: {density:g} kg/m³ gives {mass:g} kg, '
                          f'and 0.001 to {HEAVIEST_KG:g} kg are allowed; is `scale` right?')
    return mass


def check_fits(spec: ObjectSpec, table: TableSpec, where: str) -> None:
    """Raise ConfigError if a mesh is larger than the table, most likely for its unit."""
    if spec.pieces and max(spec.size) > math.hypot(*table.size):
        size = ' × '.join(f'{side:.3g}' for side in extents(spec.pieces))
        raise ConfigError(f'{key_path(where, "scale")}: the mesh is {size} m, larger than the '
                          f'table ({table.size[0]:g} × {table.size[1]:g} m); a mesh in '
                          'millimetres needs `scale: 0.001`')
