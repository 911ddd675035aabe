"""Which fitted parts are one thing: those that touch and have one colour, with few exceptions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from replan_agent.domain.scene import Shape

from .fitting import Fit
from .irregular import fit_irregular
from .naming import colour_classes
from .residual import is_explained, is_part_of
from .segments import Picture, Segment

NEAR_PX = 2
STEP_M = 0.05  # parts of one thing: one is at most this far behind the other
TOUCHING_M = 0.014  # a larger step in depth: one is behind the other
SEEN = 0.75  # from this confidence on, enough of a box was seen to tell it apart,
ROUND_SEEN = 0.9  # and of something round
ALIGNED_RAD = math.radians(4)
_AROUND = np.ones((2 * NEAR_PX + 1, 2 * NEAR_PX + 1), np.uint8)


def whole_things(picture: Picture, parts: Sequence[Fit], stamp: float) -> list[Fit]:
    """The parts as things: shapes that explain the picture stay, the rest are irregular things."""
    good = [part for part in parts if is_explained(picture, part)]
    parts = [part for part in parts if part in good
             or not any(is_part_of(picture, part, other) for other in good)]
    explained = [part in good for part in parts]
    colours = [_colour(picture, part) for part in parts]
    group = list(range(len(parts)))
    for a in range(len(parts)):
        for b in range(a + 1, len(parts)):
            if colours[a] != colours[b] or group[a] == group[b]:
                continue
            step = _step(picture, parts[a].segment, parts[b].segment)
            if step > STEP_M or (explained[a] and explained[b]
                                 and _are_two(parts[a], parts[b], step)):
                continue
            group = [group[a] if g == group[b] else g for g in group]
    found = []
    for g in dict.fromkeys(group):
        members = [i for i in range(len(parts)) if group[i] == g]
        if len(members) == 1 and explained[members[0]]:
            found.append(parts[members[0]])
            continue
        whole = fit_irregular(picture, _joined([parts[i].segment for i in members]), stamp)
        found.extend([whole] if whole is not None else [parts[i] for i in members])
    return found


def _are_two(a: Fit, b: Fit, step: float) -> bool:
    """Whether two shapes that explain the picture are two things, not parts of one."""
    if step > TOUCHING_M:
        return True
    if a.thing.is_container or b.thing.is_container:
        return True
    if not all(_stands_alone(part) for part in (a, b)):
        return False
    if Shape.BOX not in (a.thing.shape, b.thing.shape):
        return True
    turn = a.thing.pose.yaw - b.thing.pose.yaw
    aligned = abs(math.remainder(turn, math.pi / 2)) < ALIGNED_RAD
    return not aligned or Shape.SPHERE in (a.thing.shape, b.thing.shape)


def _stands_alone(part: Fit) -> bool:
    enough = SEEN if part.thing.shape is Shape.BOX else ROUND_SEEN
    return part.bottom_seen and part.confidence >= enough


def _colour(picture: Picture, part: Fit) -> int:
    rows, columns = part.segment.pixels
    return int(np.argmax(np.bincount(colour_classes(picture.view.rgb[rows, columns][None])[0])))


def _step(picture: Picture, a: Segment, b: Segment) -> float:
    """How far (m) one is behind the other where they meet in the picture; infinite if nowhere."""
    canvas, (top, left) = _canvas([a, b])
    first, second = canvas[0], canvas[1]
    near = cv2.dilate(first, _AROUND).astype(bool) & second.astype(bool)
    if not near.any():
        return math.inf
    other = cv2.dilate(second, _AROUND).astype(bool) & first.astype(bool)
    rows, columns = np.nonzero(near)
    depth = picture.view.depth[rows + top, columns + left]
    rows, columns = np.nonzero(other)
    across = picture.view.depth[rows + top, columns + left]
    return float(abs(np.median(depth) - np.median(across)))


def _joined(segments: Sequence[Segment]) -> Segment:
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
