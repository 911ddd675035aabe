# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The outlines of things from above, as convex parts: how far apart two things stand.

A round thing is round, a box is its rectangle, an irregular thing is one outline for each of its
pieces. What is between the legs of a T is free.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import ROUND, Shape

BEARS_M, OVERLAP_M = 0.008, 0.002  # what is this close below, by at least so much, carries
ROUND_CORNERS = 24
_TURN = np.arange(ROUND_CORNERS) * math.tau / ROUND_CORNERS
_RING = np.column_stack([np.cos(_TURN), np.sin(_TURN)]) / math.cos(math.pi / ROUND_CORNERS)


@dataclass(frozen=True, eq=False)
class Part:
    """A convex part: its outline (n, 2, anticlockwise) and its lowest and highest z (m).

    `known_normals` are those of its sides, of a part that was only moved.
    """

    outline: FloatArray
    bottom_z: float
    top_z: float
    known_normals: FloatArray | None = None

    @cached_property  # searches ask often, and a part never changes
    def normals(self) -> FloatArray:
        """Unit normals of the sides, outwards."""
        return _normals(self.outline) if self.known_normals is None else self.known_normals

    @cached_property
    def sides_m(self) -> FloatArray:
        """How far (m) the sides are from the origin, along their normals."""
        return np.asarray((self.normals * self.outline).sum(axis=1), dtype=float)

    @cached_property
    def centre(self) -> tuple[float, float]:
        x, y = self.outline.mean(axis=0).tolist()
        return x, y

    def placed(self, turn: float, about: Sequence[float], to: Sequence[float], dz: float = 0.0
               ) -> Part:
        """Turned (rad) about a point, which is then brought to another, and raised."""
        off, normals = self.outline - about[:2], self.normals
        if turn:
            c, s = math.cos(turn), math.sin(turn)
            R = np.array([[c, s], [-s, c]])
            off, normals = off @ R, normals @ R
        return Part(off + to[:2], self.bottom_z + dz, self.top_z + dz, normals)

    def outside_m(self, points: FloatArray) -> FloatArray:
        """How far (m) points (..., 2) are outside: of a side, so less at a corner; < 0 inside."""
        return np.asarray((points @ self.normals.T - self.sides_m).max(axis=-1), dtype=float)


@lru_cache(maxsize=512)
def parts(thing: SceneObject) -> tuple[Part, ...]:
    """The convex parts of a thing where it is, base frame."""
    if thing.shape is Shape.SPHERE:
        radius = max(thing.size) / 2
        x, y, z = thing.position
        return (Part(_RING * radius + (x, y), z - radius, z + radius),)
    return tuple(part_around(corners @ thing.pose.rotation.T + thing.position)
                 for corners in _own_corners(thing))


def part_around(points: FloatArray) -> Part:
    """The part with these points (n, 3) as corners."""
    return Part(hull(points[:, :2]), float(points[:, 2].min()), float(points[:, 2].max()))


def placed(thing: SceneObject, turn: float, to: Sequence[float]) -> list[Part]:
    """The parts of a thing that is turned (rad) and has its centre at a point (x, y, m)."""
    return [part.placed(turn, thing.position, to) for part in parts(thing)]


def gap_m(some: Iterable[Part], others: Sequence[Part]) -> float:
    """The distance (m) between two things from above, or a little less; negative: they overlap."""
    return min((_gap_m(a, b) for a in some for b in others), default=math.inf)


def apart_m(thing: SceneObject, other: SceneObject) -> float:
    """Free space (m) between two things, seen from above."""
    return max(0.0, gap_m(parts(thing), parts(other)))


def bears(below: SceneObject, thing: SceneObject) -> bool:
    """Whether a part of `thing` lies on top of the other one, wherever its centre is.

    So a plank lies on both of its supports. What is in a container does not lie on its rim.
    """
    if below.is_container or below.shape is Shape.TABLE:
        return False
    touching = [part for part in parts(below) if abs(part.top_z - thing.bottom_z) <= BEARS_M
                and part.top_z < thing.top_z]
    return bool(touching) and gap_m(parts(thing), touching) < -OVERLAP_M


def is_across(thing: SceneObject, container: SceneObject) -> bool:
    """Whether it extends over the rim on two opposite sides: no height of it fits in there."""
    if extents_m(thing)[0] < min(container.size[:2]):
        return False
    around = parts(container)[0]
    off = outline(thing) - container.position[:2]
    over = off[around.outside_m(off + container.position[:2]) > 0]
    return bool(len(over) and (over @ over.T).min() < 0)


def over_rim_m(thing: SceneObject, container: SceneObject) -> float:
    """How far (m) it extends over the rim, seen from above; negative: it does not."""
    return float(parts(container)[0].outside_m(outline(thing)).max())


def beyond_m(some: Iterable[Part], table: SceneObject) -> float:
    """How far (m) something extends over the edge of the table; negative: it does not."""
    half = table.half_extents_in_base()[:2]
    off = [np.abs(part.outline - table.position[:2]) - half for part in some]
    return max((float(each.max()) for each in off), default=-math.inf)


def outline(thing: SceneObject) -> FloatArray:
    """The convex outline (n, 2) of a thing from above, base frame, anticlockwise."""
    return hull(np.concatenate([part.outline for part in parts(thing)]))


@lru_cache(maxsize=512)
def extents_m(thing: SceneObject) -> tuple[float, float]:
    """Length and width (m) of the narrowest rectangle around its outline."""
    around = outline(thing)
    spans = [np.ptp(around @ np.column_stack([n, (-n[1], n[0])]), axis=0)
             for n in _normals(around)]
    long, short = max(best := min(spans, key=min)), min(best)
    return float(long), float(short)


@lru_cache(maxsize=512)
def long_axis_yaw(thing: SceneObject) -> float:
    """The direction (rad) of the long side of that rectangle."""
    around = outline(thing)
    normals = _normals(around)
    widths = [float(np.ptp(around @ n)) for n in normals]
    across = normals[int(np.argmin(widths))]
    return math.atan2(float(across[0]), -float(across[1]))


def hull(points: FloatArray) -> FloatArray:
    """The corners of the convex hull of points (n, 2), anticlockwise."""
    ordered = sorted({(round(float(x), 6), round(float(y), 6)) for x, y in points})
    if len(ordered) < 3:
        return _widened(np.asarray(ordered))
    found = [*_half_hull(ordered), *_half_hull(ordered[::-1])]
    return np.asarray(found) if len(found) >= 3 else _widened(np.asarray(ordered))


def _half_hull(ordered: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(chain) >= 2:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                break
            chain.pop()
        chain.append((x, y))
    return chain[:-1]


def _widened(line: FloatArray) -> FloatArray:
    """A thin rectangle around points on a line."""
    low, high = line.min(axis=0) - 1e-4, line.max(axis=0) + 1e-4
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])])


def _gap_m(one: Part, other: Part) -> float:
    """The widest gap (m) along a normal of a side, or from centre to centre."""
    x, y = (b - a for a, b in zip(one.centre, other.centre))
    far = math.hypot(x, y)
    between = np.array([x / far, y / far] if far > 1e-9 else [1.0, 0.0])
    return max(float(((other.outline @ one.normals.T).min(axis=0) - one.sides_m).max()),
               float(((one.outline @ other.normals.T).min(axis=0) - other.sides_m).max()),
               float((other.outline @ between).min() - (one.outline @ between).max()))


def _normals(outline: FloatArray) -> FloatArray:
    """Unit normals of the sides, outwards."""
    along = np.roll(outline, -1, axis=0) - outline
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True), dtype=float)


def _own_corners(thing: SceneObject) -> list[FloatArray]:
    """The corners of each convex part in the thing's own frame."""
    if thing.pieces:
        return [piece.corners for piece in thing.pieces]
    half = np.asarray(thing.size, dtype=float) / 2
    if thing.shape in ROUND:
        ring = _RING * half[:2].max()
        return [np.concatenate([np.column_stack([ring, np.full(len(ring), z)])
                                for z in (-half[2], half[2])])]
    return [(np.array(list(np.ndindex(2, 2, 2))) * 2 - 1) * half]
