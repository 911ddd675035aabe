# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The numbers and solids of the Franka arms, from franka.txt. All have the same kinematics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from replan_agent.domain.trajectory import JointLimits

from .arm_model import Box, Capsule, Inertia, LinkSolid, Part, Vector

TABLES = [line.split() for line in (Path(__file__).parent / 'franka.txt').read_text(
    encoding='utf-8').splitlines() if line and line[0] != '#']
T = TypeVar('T')
KINDS = {'rod': 'cylinder', 'pill': 'capsule', 'egg': 'ellipsoid', 'brick': 'box'}


def values(table: str) -> dict[str, Any]:
    """The rows of a table, by their names; a row of one number is that number."""
    return {name: tuple(map(float, words)) if words[1:] else float(words[0])
            for kind, name, *words in TABLES if kind == table}


DH_A, DH_D, DH_ALPHA, HOME, FLANGE_M, HAND_YAW, TCP_M = values('geometry').values()
JOINTS = len(HOME)


def limits(model: str) -> JointLimits:
    """The published joint limits; the names are as in the robot's URDF."""
    arrays: dict[str, Any] = {key: np.array(row) for key, row in values(model).items()}
    return JointLimits(tuple(f'{model}_joint{i}' for i in range(1, JOINTS + 1)), **arrays)


def _table(name: str, made: Callable[..., T]) -> dict[str, tuple[T, ...]]:
    """What the lines of a table say, by their second word."""
    found: dict[str, tuple[T, ...]] = {}
    for table, key, *words in TABLES:
        found |= {key: (*found.get(key, ()), made(*words))} if table == name else {}
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
