# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The surfaces of objects, exact in any orientation.

The axis-aligned box around a rotated object is too large: by 41 % for a square at 45 degrees, by
73 % for a ball that has rolled. This decides whether one object rests on another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import ROUND, Shape, reach

from .spans import spans

EXPLAINS_M = 0.01  # a thing that is seen this close to a contact is what was touched,
GUESSED_M = 0.025  # and one this close whose hidden side is a guess
SURE = 0.95  # a less certain look may show a thing in part: its place is that of the part
FELT_M = (0.03, 0.03, 0.005)  # a contact tells where a surface is, and which way it faces
STANDING = 0.99  # cosine; then a round object is round from above, and a box is upright


def in_own_frame(thing: SceneObject, point: tuple[float, float, float]) -> FloatArray:
    """`point` (m, base frame) in the frame of `thing`, whose origin is its centre."""
    offset = np.asarray(point, dtype=float) - np.asarray(thing.position, dtype=float)
    return np.asarray(thing.pose.rotation.T @ offset, dtype=float)


def up_alignment(thing: SceneObject) -> float:
    """Cosine of the angle between the object's own z axis and the vertical: 1 if upright."""
    return float(thing.pose.rotation[2, 2])


def is_upright(thing: SceneObject) -> bool:
    """Whether its own z axis is vertical, as far as a camera can tell."""
    return up_alignment(thing) > STANDING


def footprint(thing: SceneObject) -> float:
    """Radius (m) of the circle around the object as seen from above."""
    half = thing.half_extents_in_base()
    stands = thing.shape in ROUND and abs(up_alignment(thing)) > STANDING
    if stands or thing.shape is Shape.SPHERE:
        return float(max(half[0], half[1]))
    return float(math.hypot(half[0], half[1]))


def may_be_near(thing: SceneObject, at: Sequence[float], other: SceneObject, gap_m: float) -> bool:
    """Whether `other` may be closer than the gap to the object, if that is at (x, y, m).

    Cheap, and never wrong about a near one: it uses the circles around both boxes.
    """
    radii = (math.hypot(*thing.size) + math.hypot(*other.size)) / math.sqrt(2)
    return math.dist(at[:2], other.position[:2]) <= radii + gap_m


def half_extent_along(thing: SceneObject, yaw: float) -> float:
    """How far (m) the object extends from its centre along a horizontal direction (rad)."""
    return float(reach(thing, np.array([math.cos(yaw), math.sin(yaw), 0.0]) @ thing.pose.rotation))


def centre_of_weight(thing: SceneObject) -> tuple[float, float, float]:
    """Where (x, y, z, m, base frame) its weight is: of an irregular object not its centre."""
    if not thing.pieces:
        return thing.position
    x, y, z = (thing.pose.rotation @ centre_of_mass(thing.pieces) + thing.position).tolist()
    return x, y, z


def weight_xy(thing: SceneObject) -> tuple[float, float]:
    """Where (x, y, m, base frame) its weight pulls."""
    return centre_of_weight(thing)[:2]


def weight_off_m(thing: SceneObject) -> float:
    """How far (m) its weight is from its centre, seen from above."""
    return math.dist(weight_xy(thing), thing.position[:2])


def surface_height(thing: SceneObject, x: float, y: float) -> float | None:
    """Height (m, base frame) of the top of `thing` at (x, y); None outside its footprint."""
    found = spans(thing, in_own_frame(thing, (x, y, 0.0)), thing.pose.rotation[2])
    return max((top_z for _, top_z in found), default=None)


def centre_of_mass(pieces: Sequence[Piece]) -> FloatArray:
    """Of pieces of the same density. Where two overlap, it counts twice."""
    volumes = np.array([piece.volume for piece in pieces])
    centroids = np.array([piece.centroid for piece in pieces])
    return np.asarray(volumes @ centroids / volumes.sum(), dtype=float)


def felt_plate(name: str, at: Sequence[float], pushed: Sequence[float]) -> SceneObject:
    """A plate that lies behind the contact at a point (m), across the direction of its push."""
    normal = np.asarray(pushed) / np.linalg.norm(pushed)
    side = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    side /= np.linalg.norm(side)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([side, np.cross(normal, side), normal])
    T[:3, 3] = np.asarray(at) - FELT_M[2] / 2 * normal
    return SceneObject(name, Shape.BOX, FELT_M, Pose.from_matrix(T), movable=False)


def explains_m(thing: SceneObject) -> float:
    """How far (m) from the box around a thing a contact may be its own."""
    return GUESSED_M if is_guessed(thing) else EXPLAINS_M


def is_rough(thing: SceneObject) -> bool:
    """Whether its place and size are rough: each look shows another side, or only a part."""
    return thing.confidence < SURE or bool(thing.pieces)


def is_guessed(thing: SceneObject) -> bool:
    """Whether a side of it that no look showed is a guess."""
    return any(piece.guessed for piece in thing.pieces)


def is_near(thing: SceneObject, at: Sequence[float], within_m: float) -> bool:
    """Whether a point (m) is this close to the box around a thing, or in it."""
    off = np.abs(in_own_frame(thing, (at[0], at[1], at[2]))) - np.asarray(thing.size) / 2
    return float(np.linalg.norm(np.maximum(off, 0.0))) <= within_m
