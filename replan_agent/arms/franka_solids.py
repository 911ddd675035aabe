"""The Franka's solids and masses, from franka_solids.txt: what is seen and what collides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from .arm_model import Box, Capsule, Dynamics, Inertia, LinkSolid, Part, Vector

T = TypeVar('T')
LINES = (Path(__file__).parent / 'franka_solids.txt').read_text(encoding='utf-8').splitlines()
KINDS = {'rod': 'cylinder', 'pill': 'capsule', 'egg': 'ellipsoid', 'brick': 'box'}
SHARED = {'pad': (0.08, 0.08, 0.08), 'finger': (0.74, 0.75, 0.76), 'cover': (0.14, 0.14, 0.15)}
MATERIALS: Mapping[str, Mapping[str, Vector]] = {
    'panda': {**SHARED, 'shell': (0.93, 0.94, 0.95), 'seam': (0.45, 0.47, 0.49),
              'band': (0.93, 0.94, 0.95), 'light': (0.04, 0.54, 0.78)},
    'fr3': {**SHARED, 'shell': (0.95, 0.95, 0.94), 'seam': (0.30, 0.31, 0.33),
            'band': (0.13, 0.13, 0.14), 'light': (0.85, 0.10, 0.08)},
}


def _table(name: str, made: Callable[..., T]) -> dict[str, tuple[T, ...]]:
    """What the lines of a table say, by their second word."""
    found: dict[str, tuple[T, ...]] = {}
    for table, key, *words in (line.split() for line in LINES if line and line[0] != '#'):
        if table == name:
            found[key] = (*found.get(key, ()), made(*words))
    return found


def _numbers(words: tuple[str, ...]) -> tuple[Vector, Vector, list[float]]:
    a, b, c, d, e, f, *rest = map(float, words)
    return (a, b, c), (d, e, f), rest


def _visual(kind: str, material: str, *words: str) -> LinkSolid:
    first, second, radius = _numbers(words)
    if radius:
        return LinkSolid(material, {'type': KINDS[kind], 'fromto': (*first, *second),
                                    'size': radius})
    size = second if kind == 'egg' else [s / 2 for s in second]
    return LinkSolid(material, {'type': KINDS[kind], 'pos': first, 'size': size})


def _shape(kind: str, *words: str) -> Part:
    first, second, radius = _numbers(words)
    return Capsule(first, second, radius[0]) if kind == 'capsule' else Box(first, second)


def _inertia(part: str, *words: str) -> Inertia:
    mass, x, y, z, *tensor = map(float, words)
    xx, yy, zz, xy, xz, yz = tensor
    return Inertia(mass, (x, y, z), (xx, yy, zz, xy, xz, yz))


PARTS, SHAPES, INERTIAS = (
    _table('visual', _visual), _table('shape', _shape), _table('inertia', _inertia))


def dynamics_of(model: str) -> Dynamics:
    """The arm with its hand. The motors' inertia is as Franka publishes it for the FR3.

    Joint servos are near critical damping at the arm's largest inertia. Without damping, fingers
    that lose an object snap shut.
    """
    hand, finger = INERTIAS['any']
    return Dynamics(
        INERTIAS[model], hand, finger,
        armature=(0.605721, 0.605721, 0.462474, 0.462474, 0.205544, 0.205544, 0.205544),
        joint_damping=1.0, stiffness=(4500.0, 4500.0, 3500.0, 3500.0, 2000.0, 2000.0, 2000.0),
        servo_damping=(250.0, 250.0, 150.0, 150.0, 60.0, 60.0, 60.0), gripper_stiffness=4000.0,
        gripper_damping=20.0, grasp_target_m=-0.02, finger_armature=0.5, finger_damping=150.0)
