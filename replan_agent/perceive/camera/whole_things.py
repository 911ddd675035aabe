# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which fitted parts are one thing: those that touch and have one colour, with few exceptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from replan_agent.domain.scene import CLEAR, SceneObject, Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.out_of_sight import is_at_wall

from .fitting import Fitted
from .irregular import fit_irregular
from .naming import ENOUGH_PIXELS, colour_classes
from .residual import is_explained, is_part_of
from .segments import Scan, Segment

NEAR_PX = 2
HIDDEN_M = 0.06  # between parts of one thing at most so much of the ground is hidden
TOUCHING_M = 0.014  # a larger step in depth: one is behind the other
NO_STEP_M = 0.006
GROWN_TOGETHER = 0.6  # share of the seam without a step: boxes that are turned touch at a corner
IN_AIR_M = 0.01
GAP_M = 0.003
JOINED, JOINED_GAP_M = 0.25, 0.015  # share of a seam without a step: the gap is where it was cut
ROUND_SEEN = 0.9  # confidence: enough of something round was seen to tell it apart; else CLEAR
THINNEST_M = 0.009  # a thinner part cannot be told from an edge of its neighbour
ON_WALL_M, MOST_ON_WALL = 0.012, 0.9  # share of the points that are this near to a wall
ALIGNED_RAD = math.radians(4)
_AROUND = np.ones((2 * NEAR_PX + 1, 2 * NEAR_PX + 1), np.uint8)


def whole_things(picture: Scan, parts: Sequence[Fitted], stamp: float) -> list[Fitted]:
    """The parts as things: shapes that explain the picture stay, the rest are irregular things."""
    good = [part for part in parts if is_explained(picture, part)]
    parts = [part for part in parts if part in good
             or not any(is_part_of(picture, part, other) for other in good)]
    explained = [part in good for part in parts]
    group = list(range(len(parts)))
    for a in range(len(parts)):
        for b in range(a + 1, len(parts)):
            if (group[a] == group[b] or not _are_near(parts[a].segment, parts[b].segment)
                    or _colour(picture, parts[a]) != _colour(picture, parts[b])):
                continue
            seam = seam_between(picture, parts[a].segment, parts[b].segment)
            if seam is None or seam.hidden_m > HIDDEN_M or (
                    explained[a] and explained[b] and _are_two(parts[a], parts[b], seam)) or any(
                    explained[i] and is_inside(parts[j].thing, parts[i].thing)
                    for i, j in ((a, b), (b, a))):
                continue
            group = [group[a] if g == group[b] else g for g in group]
    found = []
    for g in dict.fromkeys(group):
        members = [i for i in range(len(parts)) if group[i] == g]
        if len(members) == 1 and explained[members[0]]:
            found.append(parts[members[0]])
            continue
        whole = fit_irregular(picture, joined([parts[i].segment for i in members]), stamp,
                              min(parts[i].ground_m for i in members))
        found.extend([whole] if whole is not None else [parts[i] for i in members])
    return [fit for fit in found if not any(is_strip_of_wall(fit.thing, o.thing) for o in found)]


def is_strip_of_wall(thing: SceneObject, container: SceneObject) -> bool:
    """Whether it is a strip of a container's wall that the fit has left over."""
    return (container.is_container and not thing.is_container
            and thing.colour == container.colour and is_at_wall(thing, container))


def is_part_of_wall(fit: Fitted, container: SceneObject) -> bool:
    """Whether the fit shows only wall and floor of a container: a part that the arm cuts off."""
    if container.shape is not Shape.BIN or fit.thing.colour != container.colour:
        return is_strip_of_wall(fit.thing, container)
    local = (fit.points - container.position) @ container.pose.rotation
    half = np.asarray(container.size) / 2
    off = (np.abs(local[:, :2]) - half[:2]).max(axis=1)
    on_wall = (np.abs(off) <= ON_WALL_M) & (local[:, 2] <= half[2] + IN_AIR_M)
    on_floor = (off <= 0) & (local[:, 2] <= CONTAINER_FLOOR_M + GAP_M - half[2])
    return float(np.mean(on_wall | on_floor)) >= MOST_ON_WALL


@dataclass(frozen=True)
class Seam:
    """Where two parts meet in the picture.

    One is `step_m` behind the other (median, along the rays): `hidden_m` of ground is hidden
    between them. In `joined` of the seam there is no step: one surface goes over into the other.
    """

    step_m: float
    hidden_m: float
    joined: float


def _are_two(a: Fitted, b: Fitted, seam: Seam) -> bool:
    """Whether two shapes that explain the picture are two things, not parts of one."""
    if _hangs_on(a, b) or _hangs_on(b, a):
        return False
    if a.thing.is_container or b.thing.is_container:
        return True
    if seam.step_m > TOUCHING_M:
        return not _fit_together(a.thing, b.thing, seam)
    if not all(part.bottom_seen and min(part.thing.size) >= THINNEST_M and part.confidence >= (
            CLEAR if part.thing.shape is Shape.BOX else ROUND_SEEN) for part in (a, b)):
        return False
    shapes = (a.thing.shape, b.thing.shape)
    return Shape.BOX not in shapes or Shape.SPHERE in shapes or (
        not _aligned(a.thing, b.thing) and seam.joined < GROWN_TOGETHER)


def _aligned(a: SceneObject, b: SceneObject) -> bool:
    return abs(math.remainder(a.pose.yaw - b.pose.yaw, math.pi / 2)) < ALIGNED_RAD


def _fit_together(a: SceneObject, b: SceneObject, seam: Seam) -> bool:
    """Whether two boxes stand face to face, without a gap, as head and handle of a hammer."""
    if not a.shape is b.shape is Shape.BOX or not _aligned(a, b):
        return False
    T_a_b = np.linalg.inv(a.pose.matrix()) @ b.pose.matrix()
    reach = np.abs(T_a_b[:3, :3]) @ np.asarray(b.size) / 2 + np.asarray(a.size) / 2
    gaps = np.abs(T_a_b[:3, 3]) - reach
    return bool(gaps.max() < (JOINED_GAP_M if seam.joined >= JOINED else GAP_M))


def _hangs_on(part: Fitted, other: Fitted) -> bool:
    """Whether the part is in the air beside the other: nothing else can carry it."""
    thing, below = part.thing, other.thing
    if not part.bottom_seen or thing.bottom_z < below.bottom_z + IN_AIR_M:
        return False
    over = np.abs(np.subtract(thing.position[:2], below.position[:2]))
    on_it = bool(np.all(over < below.half_extents_in_base()[:2]))
    return not (on_it and thing.bottom_z > below.top_z - IN_AIR_M)


def _colour(picture: Scan, part: Fitted) -> int:
    """The class of most of its pixels."""
    def find() -> int:
        flat = part.segment.flat(picture.view.width_px)
        shown = picture.view.colours_of(flat[::1 + len(flat) // ENOUGH_PIXELS])
        return int(np.argmax(np.bincount(colour_classes(shown))))
    return picture.once(('colour', part), find)


def _are_near(a: Segment, b: Segment) -> bool:
    """Whether their boxes in the picture touch, or nearly so."""
    return all(max(a.corner[i] - b.corner[i] - b.mask.shape[i],
                   b.corner[i] - a.corner[i] - a.mask.shape[i]) < NEAR_PX for i in (0, 1))


def seam_between(picture: Scan, a: Segment, b: Segment) -> Seam | None:
    """How two parts meet in the picture; None if they do not."""
    if not _are_near(a, b):
        return None
    canvas, (top, left) = _canvas([a, b])
    height, width = canvas.shape[1:]
    depth = picture.view.depth[top:top + height, left:left + width]
    first, second = (layer.astype(bool) & (depth > 0) for layer in canvas)
    near = cv2.dilate(first.astype(np.uint8), _AROUND).astype(bool) & second
    other = cv2.dilate(second.astype(np.uint8), _AROUND).astype(bool) & first
    if not near.any() or not other.any():
        return None
    step = float(abs(np.median(depth[near]) - np.median(depth[other])))
    rows, columns = np.nonzero(near)
    ray = picture.view.rays[rows + top, columns + left].mean(axis=0)
    count = cv2.blur(first.astype(np.float32), _AROUND.shape)
    beside = cv2.blur(np.where(first, depth, 0).astype(np.float32), _AROUND.shape)
    gap = np.abs(depth[near] - beside[near] / np.maximum(count[near], 1e-6))
    close = gap < NO_STEP_M + 3 * picture.table.noise_m
    return Seam(step, step * float(np.hypot(ray[0], ray[1])), float(np.mean(close)))


def joined(segments: Sequence[Segment]) -> Segment:
    canvas, corner = _canvas(segments)
    return Segment(corner, np.asarray(canvas.any(axis=0)))


def _canvas(segments: Sequence[Segment]) -> tuple[np.ndarray, tuple[int, int]]:
    """The masks in one box (n, height, width), and its corner (row, column)."""
    top, left = (min(s.corner[i] for s in segments) for i in (0, 1))
    bottom, right = (max(s.corner[i] + s.mask.shape[i] for s in segments) for i in (0, 1))
    canvas = np.zeros((len(segments), bottom - top, right - left), np.uint8)
    for layer, segment in zip(canvas, segments):
        row, column = segment.corner[0] - top, segment.corner[1] - left
        layer[row:row + segment.mask.shape[0], column:column + segment.mask.shape[1]] = \
            segment.mask
    return canvas, (top, left)
