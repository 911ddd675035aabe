# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grasps of a thing of any shape, from points on its surface.

Pads hold where two surfaces face away from each other. Each such pair is tried from several
directions; fingers and palm must stay clear of the thing and of its support. All candidates are
checked at once. Nothing here asks where the points come from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.geometry.room.hand_parts import BESIDE_PALM_M

from ..motion_protocols import Grasp, GraspKind
from .surface_points import SurfacePoints

SEEDS = 260  # surface points from which pairs are made
PAIRS = 60  # pairs that are tried, the most promising and different ones
TILTS = tuple(math.radians(d) for d in (0, 25, -25, 50, -50, 75, -75))
OPPOSITE = -math.cos(math.radians(40))  # normals of a pair: at least this much against each other
FACING = math.cos(math.radians(26))  # of contact normals to the closing axis: friction 0.5
BESIDE_M = 0.005  # how far a partner may be off the line through its point
NEAR_M, NEAR_COS = 0.008, math.cos(math.radians(15))  # pairs closer than this are the same
STEEPEST = math.sin(math.radians(45))  # of the closing axis
CONTACT_M = 0.0015  # surface this close to the foremost point touches the pad too
AWAY = math.cos(math.radians(70))  # surface turned away further is beside a contact, not in it
THINNEST_M = 0.0025  # pads closer than this hold nothing
MOST_BACK_M = 0.02  # how far a hand may stay back from its pair to keep clear of the support
LEAST_COVERED = 0.12  # share of the pads
TIER, TIERS = 10, 4  # grasps in a tier, and how many tiers

TOP_DOWN_WITHIN, TILTED_WITHIN = math.radians(12), math.radians(65)

BESIDE_FINGER_M = 0.001  # free space beside a finger's width
CLEARANCE_M, AMPLE_M = 0.004, 0.012  # free space beside each pad on the way in
TABLE_GAP_M = 0.002
# What a grasp loses, in the unit of its score (m): a score of 0 is a perfect grasp.
CONTACT_LOSS = 0.25  # for pads that do not lie flat: times 1 - cosine
OFF_CENTRE_LOSS = 1.5  # for each m from the centre of mass to the line between the pads
TILT_LOSS = 0.02  # for each rad from straight down
EMPTY_PAD_LOSS = 0.03  # for pads that touch nothing; less for a part of them
WIDTH_LOSS = 0.2  # for each m between the pads: less play on the way in
GUESSED_LOSS = 0.03  # for a pad on a surface that was not seen


@dataclass(frozen=True, eq=False)
class Pairs:
    """Places for the pads: middle (n, 3), closing axis (n, 3), distance between the two (n,)."""

    middle: FloatArray
    axis: FloatArray
    width: FloatArray

    def __getitem__(self, chosen: NDArray[Any]) -> Pairs:
        return Pairs(self.middle[chosen], self.axis[chosen], self.width[chosen])

    def __len__(self) -> int:
        return len(self.width)


@dataclass(frozen=True, eq=False)
class Tried:
    """Hands (n): their frames, the pads' distance on the thing, and how far to open; nan: no."""

    frames: FloatArray  # (n, 4, 4)
    width: FloatArray
    opening: FloatArray
    tilt: FloatArray
    facing: FloatArray  # cosine between the closing axis and the worse contact normal
    covered: FloatArray  # share of the pads that touches
    guessed: FloatArray  # how many of the two pads touch only what is guessed
    off_centre: FloatArray  # m


def grasps_from_points(cloud: SurfacePoints, support_z: float, hand: HandShape) -> list[Grasp]:
    """Ways to grasp, best first, in tiers of a few; empty if nothing fits."""
    cloud = replace(cloud, points=np.asarray(cloud.points, np.float32),
                    normals=np.asarray(cloud.normals, np.float32))  # half the time
    pairs = promising(opposite_pairs(cloud, hand.max_width_m - 2 * CLEARANCE_M), cloud)
    if not len(pairs):
        return []
    tried = _tried(cloud, pairs, support_z, hand)
    score = _score(tried)
    order = [int(k) for k in np.argsort(-score) if np.isfinite(score[k])]
    return [grasp for rank, k in enumerate(order[:TIER * TIERS])
            for grasp in _both_ways(tried, k, float(score[k]), rank // TIER)]


def narrowest(cloud: SurfacePoints) -> float:
    """The least distance (m) of two surfaces that pads could hold; inf if there are none."""
    return float(np.min(opposite_pairs(cloud, math.inf).width, initial=math.inf))


def opposite_pairs(cloud: SurfacePoints, most: float) -> Pairs:
    """For seed points the nearest and the farthest surface behind them that faces away.

    They are `most` (m) apart.
    """
    count = len(cloud.points)
    seeds = np.unique(np.linspace(0, count - 1, min(count, SEEDS)).astype(int))
    points, normals = cloud.points[seeds], cloud.normals[seeds]
    depth = np.sum(points * -normals, axis=1)
    along = -_dots(normals, cloud.points) - depth[:, None]
    squared = (np.sum(points ** 2, axis=1)[:, None] + np.sum(cloud.points ** 2, axis=1)
               - 2 * _dots(points, cloud.points))
    partner = ((along >= THINNEST_M) & (along <= most)
               & (squared - along ** 2 < BESIDE_M ** 2)
               & (_dots(normals, cloud.normals) < OPPOSITE))
    if not partner.any():
        return Pairs(np.empty((0, 3)), np.empty((0, 3)), np.empty(0))
    some = partner.any(axis=1)
    nearest = np.where(partner, along, np.inf).argmin(axis=1)
    farthest = np.where(partner, along, -np.inf).argmax(axis=1)
    first = np.concatenate([seeds[some], seeds[some]])
    second = np.concatenate([nearest[some], farthest[some]])
    axis = _unit(cloud.normals[first] - cloud.normals[second])
    width = np.sum((cloud.points[first] - cloud.points[second]) * axis, axis=1)
    return Pairs((cloud.points[first] + cloud.points[second]) / 2, axis, width)


def promising(pairs: Pairs, cloud: SurfacePoints) -> Pairs:
    """The pairs nearest to the centre of mass that are different from each other."""
    pairs = pairs[np.abs(pairs.axis[:, 2]) <= STEEPEST]
    if not len(pairs):
        return pairs
    order = np.argsort(_off_line(pairs.middle, pairs.axis, cloud.centre))
    middle, axis = pairs.middle[order], pairs.axis[order]
    same = ((np.linalg.norm(middle[:, None] - middle, axis=2) < NEAR_M)
            & (np.abs(_dots(axis, axis)) > NEAR_COS)
            & (np.abs(pairs.width[order][:, None] - pairs.width[order]) < NEAR_M))
    left = np.ones(len(order), dtype=bool)
    chosen: list[int] = []
    while left.any() and len(chosen) < PAIRS:
        best = int(left.argmax())
        chosen.append(best)
        left &= ~same[best]
    return pairs[order[chosen]]


def _tried(cloud: SurfacePoints, pairs: Pairs, support_z: float, own: HandShape) -> Tried:
    """Every pair from every direction."""
    x, y, z, tilt = _directions(pairs.axis)
    middle, width = (np.repeat(v, len(TILTS), axis=0) for v in (pairs.middle, pairs.width))
    back = _back_off(middle, (x, y, z), width, support_z, own)
    fits = (back <= MOST_BACK_M) & (z[:, 2] < 0)
    x, y, z, tilt, middle, width, back = (v[fits] for v in (x, y, z, tilt, middle, width, back))
    beside, along, ahead = (_dots(axis, cloud.points) - np.sum(middle * axis, axis=1)[:, None]
                            for axis in (x, y, z))  # each point as each hand sees it
    ahead += back[:, None]
    palm = _palm_meets(beside, along, ahead, own)
    hand, point = np.nonzero((np.abs(beside) < own.half_finger_m + BESIDE_FINGER_M)
                             & (ahead < own.tip_beyond_tcp_m))
    near = _Near(hand, point, along[hand, point], ahead[hand, point])
    high, low = _contact_planes(near, width)
    near = replace(near, along=near.along - ((high + low) / 2)[hand])
    held = high - low
    opening = np.where(palm, np.nan, _opening(near, held, own))
    facing, covered, guessed = _contact(cloud, near, y, held, own)
    frames = np.tile(np.eye(4), (len(x), 1, 1))
    frames[:, :3, 0], frames[:, :3, 1], frames[:, :3, 2] = x, y, z
    frames[:, :3, 3] = middle - back[:, None] * z + ((high + low) / 2)[:, None] * y
    off_centre = _off_line(frames[:, :3, 3], y, cloud.centre)
    good = (facing >= FACING) & (covered >= LEAST_COVERED) & (guessed < 2)
    return Tried(frames, held, np.where(good, opening, np.nan), tilt, facing, covered, guessed,
                 off_centre)


def _directions(axis: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The axes of the hands, and their angle from straight down (rad): one for each tilt.

    Each closes along its pair's axis. Straight down is as straight as that axis allows.
    """
    y = np.repeat(axis, len(TILTS), axis=0)
    straight = _unit(axis * axis[:, 2:] - np.array([0, 0, 1], axis.dtype))
    side = np.cross(axis, straight)
    turn = np.tile(np.asarray(TILTS, axis.dtype), len(axis))[:, None]
    z = (np.cos(turn) * np.repeat(straight, len(TILTS), axis=0)
         + np.sin(turn) * np.repeat(side, len(TILTS), axis=0))
    return np.cross(y, z), y, z, np.arccos(np.clip(-z[:, 2], -1, 1))


def _back_off(middle: FloatArray, axes: tuple[FloatArray, FloatArray, FloatArray],
              width: FloatArray, support_z: float, own: HandShape) -> FloatArray:
    """How far (m) each hand stays back so that its finger tips keep clear of the support."""
    x, y, z = axes
    reach = (own.tip_beyond_tcp_m * -z[:, 2]
             + (own.half_finger_m + BESIDE_FINGER_M) * np.abs(x[:, 2])
             + (width / 2 + CLEARANCE_M + own.finger_m) * np.abs(y[:, 2]))
    lacking = support_z + TABLE_GAP_M - (middle[:, 2] - reach)
    return np.maximum(0.0, lacking / np.maximum(-z[:, 2], 0.05))


@dataclass(frozen=True, eq=False)
class _Near:
    """Points between or behind the fingers, of all hands one after the other.

    The number of the hand and of the point, and where it is (m): along the closing axis and ahead.
    """

    hand: NDArray[np.intp]
    point: NDArray[np.intp]
    along: FloatArray
    ahead: FloatArray

    def any_of(self, chosen: NDArray[Any], hands: int) -> NDArray[np.bool_]:
        """Which hands have a chosen point."""
        return np.bincount(self.hand[chosen], minlength=hands) > 0


def _palm_meets(beside: FloatArray, along: FloatArray, ahead: FloatArray,
                own: HandShape) -> NDArray[np.bool_]:
    """Whether the palm of each hand meets a point (hands, points)."""
    behind = ahead < -own.palm_above_tcp_m
    if behind.any():
        behind &= ((np.abs(beside) < own.half_depth_m + BESIDE_PALM_M[0])
                   & (np.abs(along) < own.half_width_m + BESIDE_PALM_M[1]))
    return np.asarray(behind.any(axis=1))


def _contact_planes(near: _Near, width: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the fingers meet the thing when they close on the pair."""
    between = np.abs(near.along) <= (width / 2 + CLEARANCE_M)[near.hand]
    high, low = (np.full(len(width), end, near.along.dtype) for end in (-1.0, 1.0))
    np.maximum.at(high, near.hand[between], near.along[between])
    np.minimum.at(low, near.hand[between], near.along[between])
    return high, low


def _opening(near: _Near, held: FloatArray, own: HandShape) -> FloatArray:
    """How far to open: ample, else just enough; nan if the fingers meet the thing.

    The hand comes from behind: what is behind a finger is in its way too.
    """
    across = np.abs(near.along)
    thick = np.where(near.ahead < -own.block_behind_m, own.block_m, own.finger_m)
    found = np.full(len(held), np.nan)
    for room in (CLEARANCE_M, AMPLE_M):
        opening = np.minimum(held + 2 * room, own.max_width_m)
        beside = across - (opening / 2)[near.hand]
        blocked = near.any_of((beside > 0) & (beside < thick + CLEARANCE_M / 2), len(held))
        fits = ~blocked & (held + 2 * CLEARANCE_M <= own.max_width_m)
        found = np.where(fits, opening, found)
    return found


def _contact(cloud: SurfacePoints, near: _Near, y: FloatArray,
             held: FloatArray, own: HandShape) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How flat the pads lie (cosine, the worse one), how covered they are, and `guessed`."""
    facing, covered, guessed = np.ones(len(held)), np.ones(len(held)), np.zeros(len(held))
    full = own.pad_height_m * own.pad_width_m / cloud.spacing ** 2
    on_pad = near.ahead > -own.pad_height_m / 2
    for side in (1, -1):
        behind = (held / 2)[near.hand] - side * near.along
        touching = np.flatnonzero(on_pad & (np.abs(behind) < CONTACT_M))
        outward = side * np.sum(y[near.hand[touching]] * cloud.normals[near.point[touching]],
                                axis=1)
        away = outward > AWAY
        touching, outward = touching[away], outward[away]
        count = np.bincount(near.hand[touching], minlength=len(held))
        total = np.bincount(near.hand[touching], outward, minlength=len(held))
        facing = np.minimum(facing, total / np.maximum(count, 1))
        covered = np.minimum(covered, count / full)
        if cloud.seen is not None:
            guessed += ~near.any_of(touching[cloud.seen[near.point[touching]]], len(held))
    return facing, covered, guessed


def _score(tried: Tried) -> FloatArray:
    """Higher is better, up to 0; nan where nothing fits."""
    lost = (CONTACT_LOSS * (1 - tried.facing) + OFF_CENTRE_LOSS * tried.off_centre
            + TILT_LOSS * tried.tilt + EMPTY_PAD_LOSS * (1 - tried.covered)
            + WIDTH_LOSS * tried.width + GUESSED_LOSS * tried.guessed)
    return np.where(np.isfinite(tried.opening), -lost, np.nan)


def _both_ways(tried: Tried, k: int, score: float, tier: int) -> Iterator[Grasp]:
    """The grasp, and the same with the two fingers exchanged."""
    tilt, width, opening = (float(v[k]) for v in (tried.tilt, tried.width, tried.opening))
    kind = (GraspKind.TOP_DOWN if tilt < TOP_DOWN_WITHIN
            else GraspKind.TILTED if tilt < TILTED_WITHIN else GraspKind.SIDE)
    yaw = math.degrees(math.atan2(tried.frames[k, 1, 1], tried.frames[k, 0, 1]))
    flat = math.degrees(math.acos(min(1.0, tried.facing[k])))
    label = (f'{kind.value}, closing at {round(yaw)}°, {opening * 1000:.0f} mm open, pads '
             f'{100 * tried.covered[k]:.0f} % covered and {flat:.0f}° off flat, '
             f'{1000 * tried.off_centre[k]:.0f} mm from the centre of mass')
    for turn in (1.0, -1.0):
        frame = tried.frames[k].copy()
        frame[:3, :2] *= turn
        yield Grasp(kind, tier, Pose.from_matrix(frame), opening, width, score, label)


def _off_line(points: FloatArray, axes: FloatArray, centre: FloatArray) -> FloatArray:
    """Distance (m) of `centre` from each line."""
    return np.asarray(np.linalg.norm(np.cross(centre - points, axes), axis=1), dtype=float)


def _dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """All dot products (n, m). Without BLAS, whose threads cost more than they save here."""
    found = a[:, 0, None] * b[:, 0]
    part = np.empty_like(found)
    for k in (1, 2):
        found += np.multiply(a[:, k, None], b[:, k], out=part)
    return found


def _unit(vectors: FloatArray) -> FloatArray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
