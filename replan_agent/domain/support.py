"""The surfaces of objects: exact for boxes, cylinders and spheres in any orientation.

The axis-aligned box around a rotated object is too large: by 41 % for a square at 45 degrees, by
73 % for a ball that has rolled. This decides whether one object rests on another.
"""

from __future__ import annotations

import math

import numpy as np

from .pose import FloatArray
from .scene import ROUND, SceneObject, Shape

Interval = tuple[float, float]

_EVERYWHERE: Interval = (-math.inf, math.inf)
_NOWHERE: Interval = (math.inf, -math.inf)
_PARALLEL = 1e-9
_STANDING = 0.99  # cosine; then a round object is round from above


def in_own_frame(thing: SceneObject, point: tuple[float, float, float]) -> FloatArray:
    """`point` (m, base frame) in the frame of `thing`, whose origin is its centre."""
    offset = np.asarray(point, dtype=float) - np.asarray(thing.position, dtype=float)
    return np.asarray(_rotation(thing).T @ offset, dtype=float)


def up_alignment(thing: SceneObject) -> float:
    """Cosine of the angle between the object's own z axis and the vertical: 1 if upright."""
    return float(_rotation(thing)[2, 2])


def half_height(thing: SceneObject) -> float:
    """Half the vertical extent (m) of `thing` as it lies."""
    return float(thing.half_extents_in_base()[2])


def footprint(thing: SceneObject) -> float:
    """Radius (m) of the circle around the object as seen from above."""
    half = thing.half_extents_in_base()
    stands = thing.shape in ROUND and abs(up_alignment(thing)) > _STANDING
    if stands or thing.shape is Shape.SPHERE:
        return float(max(half[0], half[1]))
    return float(math.hypot(half[0], half[1]))


def half_extent_along(thing: SceneObject, yaw: float) -> float:
    """How far (m) the object extends from its centre along a horizontal direction (rad)."""
    half = np.asarray(thing.size, dtype=float) / 2
    if thing.shape is Shape.SPHERE:
        return float(half.max())
    own = np.array([math.cos(yaw), math.sin(yaw), 0.0]) @ _rotation(thing)
    if thing.shape in ROUND:
        return float(np.hypot(own[0], own[1]) * half[:2].max() + abs(own[2]) * half[2])
    return float(np.abs(own) @ half)


def surface_height(thing: SceneObject, x: float, y: float) -> float | None:
    """Height (m, base frame) of the top of `thing` at (x, y); None outside its footprint."""
    half = np.asarray(thing.size, dtype=float) / 2
    start = in_own_frame(thing, (x, y, 0.0))
    up = _rotation(thing)[2]
    if thing.shape is Shape.SPHERE:
        spans = [_ball(start, up, float(half.max()))]
    elif thing.shape in ROUND:
        spans = [_ball(start[:2], up[:2], float(half[:2].max())),
                 _slab(start[2], up[2], half[2])]
    else:
        spans = [_slab(start[i], up[i], half[i]) for i in range(3)]
    bottom_z, top_z = max(s[0] for s in spans), min(s[1] for s in spans)
    return top_z if bottom_z <= top_z else None


def _rotation(thing: SceneObject) -> FloatArray:
    return thing.pose.rotation


def _slab(start: float, up: float, half: float) -> Interval:
    """Heights at which the vertical line is between -half and half on one of its own axes."""
    if abs(up) < _PARALLEL:
        return _EVERYWHERE if abs(start) <= half else _NOWHERE
    first, second = (-half - start) / up, (half - start) / up
    return float(min(first, second)), float(max(first, second))


def _ball(start: FloatArray, up: FloatArray, radius: float) -> Interval:
    """Heights at which the vertical line is within `radius` of the centre (2-D: of the axis)."""
    a, b, c = float(up @ up), float(start @ up), float(start @ start) - radius ** 2
    if a < _PARALLEL ** 2:
        return _EVERYWHERE if c <= 0 else _NOWHERE
    discriminant = b * b - a * c
    if discriminant < 0:
        return _NOWHERE
    root = math.sqrt(discriminant)
    return (-b - root) / a, (-b + root) / a
