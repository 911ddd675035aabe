# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things with a hole through them, pegs that stand up, and what goes over or into what."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from replan_agent import Pose, SceneObject
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Shape, States
from replan_agent.domain.shape import CONTAINER_FLOOR_M, CONTAINER_WALL_M
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.outlines import Part, extents_m, gap_m, part_around

from .held_poses import upright_axis
from .peg_board import FILLED

CELL_M, FINE_M = 0.002, 1e-4
EDGE_CELLS = 2  # so much of the edge of a hole is filled, too: no gap is left
SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@dataclass(frozen=True)
class Ring(SceneObject):
    """A thing with a hole from top to bottom, such as a nut.

    `hole` is the middle of the hole in its own frame (x, y, m), `wide_m` the side of the square
    along its own axes that fits in. A piece of it fills the hole: no finger goes where a peg goes.
    """

    hole: tuple[float, float] = (0.0, 0.0)
    wide_m: float = 0.0

    @property
    def hole_xy(self) -> tuple[float, float]:
        """Where its hole is (m, base frame)."""
        x, y = (self.pose.rotation[:2, :2] @ self.hole + self.position[:2]).tolist()
        return x, y


@dataclass(frozen=True)
class Peg(SceneObject):
    """The place around a peg that stands up: a bin without walls that only `insert` fills.

    The peg itself is a thing of its own, the post in the middle.
    """

    thick_m: float = 0.0


@dataclass(frozen=True)
class Mate:
    """How what is held and its target go together: a peg into a hole, or a hole over a peg.

    `own` is what of the held thing comes over the target (x, y in its own frame, m). `falls`: let
    go on its way, it goes down by itself.
    """

    peg: str
    hole: str
    thick_m: float
    wide_m: float
    deep_m: float
    own: tuple[float, float] = (0.0, 0.0)
    falls: bool = False

    @property
    def play_m(self) -> float:
        return self.wide_m - self.thick_m


def mate_of(held: SceneObject, target: SceneObject) -> Mate | None:
    """None if neither has a hole."""
    if isinstance(target, Peg):
        return Mate(target.name, held.name, target.thick_m, held.wide_m, depth_m(target),
                    held.hole, True) if isinstance(held, Ring) else None
    axis = upright_axis(held)
    thick_m = max(size for k, size in enumerate(held.size) if k != axis)
    return Mate(held.name, target.name, thick_m, opening_m(target), depth_m(target))


def opening_m(hole: SceneObject) -> float:
    """How wide (m) a square hole is."""
    return min(hole.size[:2]) - 2 * CONTAINER_WALL_M


def depth_m(target: SceneObject) -> float:
    """How deep (m) a hole is, or how far down a ring goes over a peg."""
    return target.size[2] - CONTAINER_FLOOR_M


def peg_around(name: str, post: SceneObject, floor_z: float, things: Iterable[SceneObject]) -> Peg:
    """The place around a post, up to its top: the widest ring fits in, however it is turned."""
    rings = [thing for thing in things if isinstance(thing, Ring)]
    thick = max(post.size[:2])
    wide = max((math.hypot(*extents_m(ring)) for ring in rings), default=3 * thick)
    x, y, _ = post.position
    high = post.top_z - floor_z
    pose = Pose.from_rpy(x, y, floor_z + high / 2, yaw=post.pose.yaw)
    place = SceneObject(name, Shape.BIN, (wide, wide, high), pose)
    full = any(is_inside(ring, place) for ring in rings)
    return Peg(name, Shape.BIN, place.size, pose, post.colour, movable=False, thick_m=thick,
               states=States(FILLED if full else '', (FILLED,), (pose,)))


def ring_of(name: str, solids: Sequence[FloatArray]) -> tuple[Ring, FloatArray] | None:
    """A thing of solids (corners in one upright frame), and where its centre is; None if it has
    no hole."""
    everything = np.concatenate(list(solids))
    low, high = everything.min(axis=0), everything.max(axis=0)
    outlines = [part_around(solid) for solid in solids]
    cells = _enclosed(outlines, low, high)
    if cells is None:
        return None
    middle = (cells.min(axis=0) + cells.max(axis=0)) / 2
    for axis in np.eye(2):
        middle = middle + (_free_m(outlines, middle, axis) - _free_m(outlines, middle, -axis)
                           ) / 2 * axis
    centre = (low + high) / 2
    filling = np.array([(*cell, z) for cell, z in itertools.product(cells, (low[2], high[2]))])
    x, y = (middle - centre[:2]).tolist()
    return Ring(name, Shape.IRREGULAR, tuple((high - low).tolist()), Pose((0.0, 0.0, 0.0)),
                pieces=tuple(Piece.around(solid - centre) for solid in (*solids, filling)),
                hole=(x, y), wide_m=_square_m(outlines, middle)), centre


def _enclosed(outlines: Sequence[Part], low: FloatArray, high: FloatArray) -> FloatArray | None:
    """The places (n, 2) of the largest hole and of its edge, from above; None without one."""
    from scipy import ndimage

    axes = [np.arange(a - CELL_M, b + 2 * CELL_M, CELL_M) for a, b in zip(low[:2], high[:2])]
    cells = np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1)
    free = np.all([part.outside_m(cells) > 0 for part in outlines], axis=0)
    labels, _ = ndimage.label(free)
    counts = np.bincount(labels.ravel())
    counts[[0, labels[0, 0]]] = 0  # what is solid, and what is around it
    if not counts.any():
        return None
    return cells[ndimage.binary_dilation(labels == counts.argmax(), iterations=EDGE_CELLS)]


def _free_m(outlines: Sequence[Part], start: FloatArray, way: FloatArray) -> float:
    """How far (m) it is to the nearest solid that way."""
    far = np.arange(0.0, 1.0, FINE_M)
    points = start + far[:, None] * way
    solid = np.any([part.outside_m(points) <= 0 for part in outlines], axis=0)
    return float(far[np.argmax(solid)])


def _square_m(outlines: Sequence[Part], middle: FloatArray) -> float:
    """The side (m) of the largest square around a place that meets no solid."""
    fits, meets = 0.0, 1.0
    while meets - fits > FINE_M:
        side = (fits + meets) / 2
        free = gap_m([Part(middle + side / 2 * SQUARE, 0.0, 0.0)], outlines) >= 0
        fits, meets = (side, meets) if free else (fits, side)
    return fits
