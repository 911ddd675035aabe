# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Franka's solids and masses, from franka.txt: what is seen and what collides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .arm_model import Box, Capsule, Inertia, LinkSolid, Part, Vector
from .franka_numbers import TABLES

T = TypeVar('T')
KINDS = {'rod': 'cylinder', 'pill': 'capsule', 'egg': 'ellipsoid', 'brick': 'box'}


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
