# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where one object is relative to others: left of, behind, near, between; turned, upright.

Left and right need someone who looks. `arm`: from the robot's base, as REP 103 has it (x forward,
y left). `person`: someone who faces the arm from the other side of the table. In front of a thing
is the side of the one who looks.
"""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.scene import ROUND, SceneObject, Shape

from .outlines import gap_m, parts
from .support import footprint, half_extent_along, may_be_near, up_alignment

VIEWPOINTS = ('arm', 'person')
NEAR_M = 0.06  # largest gap between the outlines of two neighbours
MOST_BESIDE_M = 0.20  # largest gap of something that is to the left of another
DISTANCE_WITHIN_M = 0.015  # so much a gap may differ from the distance that was asked for
OVERLAP_M = 0.01
ON_LINE_M = 0.02  # so far beside a line is still on it, also for a thin thing
TURN_TOLERANCE_DEG = 12.0
DIAL_TOLERANCE_DEG = 5.0
UPRIGHT_COS = math.cos(math.radians(20))
SAME_SIDES = 1.1

# x, y in the base frame for the viewpoint of the arm; the person's is the opposite
SIDES: dict[str, tuple[float, float]] = {
    'left_of': (0.0, 1.0), 'right_of': (0.0, -1.0), 'in_front_of': (-1.0, 0.0),
    'behind': (1.0, 0.0)}


def side(relation: str, viewpoint: str) -> tuple[float, float]:
    """The direction (x, y, base frame) from a thing to what is on that side of it."""
    x, y = SIDES[relation]
    return (x, y) if viewpoint != 'person' else (-x, -y)


def is_beside(thing: SceneObject, other: SceneObject, direction: tuple[float, float],
              distance_m: float | None = None) -> bool:
    """Whether `thing` is on that side of `other`: within 45 degrees, next to it, not over it.

    With a distance, that is the gap between their outlines.
    """
    if distance_m is not None and not _is_far(thing, other, distance_m):
        return False
    dx, dy = (thing.position[i] - other.position[i] for i in (0, 1))
    along = dx * direction[0] + dy * direction[1]
    across = abs(dx * direction[1] - dy * direction[0])
    yaw = math.atan2(direction[1], direction[0])
    room = half_extent_along(thing, yaw) + half_extent_along(other, yaw)
    most = math.inf if distance_m is not None else room + MOST_BESIDE_M
    return room - OVERLAP_M <= along <= most and across <= along


def _is_far(thing: SceneObject, other: SceneObject, distance_m: float) -> bool:
    """Within the tolerance, and within half of a small distance: what touches is not 1 cm off."""
    within_m = min(DISTANCE_WITHIN_M, distance_m / 2)
    return abs(gap_m(parts(thing), parts(other)) - distance_m) <= within_m


def is_near(thing: SceneObject, other: SceneObject, most_m: float = NEAR_M,
            distance_m: float | None = None) -> bool:
    """Whether the gap between their outlines is at most `most_m`, or is the distance.

    What is in the same stack is not next to it.
    """
    most_m = most_m if distance_m is None else distance_m + DISTANCE_WITHIN_M
    if not may_be_near(thing, thing.position, other, most_m) or (
            _is_over(thing, other) or _is_over(other, thing)):
        return False
    if distance_m is not None:
        return _is_far(thing, other, distance_m)
    return gap_m(parts(thing), parts(other)) <= most_m


def _is_over(upper: SceneObject, lower: SceneObject) -> bool:
    slack = min(OVERLAP_M, (lower.top_z - lower.bottom_z) / 2)
    return upper.bottom_z >= lower.top_z - slack and math.dist(
        upper.position[:2], lower.position[:2]) < min(footprint(upper), footprint(lower))


def is_between(thing: SceneObject, one: SceneObject, other: SceneObject) -> bool:
    """Whether `thing` is on the line between their centres, in its middle part.

    The line must run under it: its centre may be half its own width beside the line, at least
    ON_LINE_M. Along the line the first and last fifth do not count.
    """
    a, b, p = (np.asarray(o.position[:2]) for o in (one, other, thing))
    length = float(np.linalg.norm(b - a))
    if length < 1e-6:
        return False
    along = float((p - a) @ (b - a)) / length
    off = float(np.linalg.norm(p - a - along * (b - a) / length))
    across = math.atan2(b[1] - a[1], b[0] - a[0]) + math.pi / 2
    return 0.2 * length <= along <= 0.8 * length and off <= max(
        ON_LINE_M, half_extent_along(thing, across))


def is_turned(thing: SceneObject, degrees: float) -> bool | None:
    """Whether its yaw is that, as far as its shape shows; None if a turn cannot be seen."""
    if thing.states and thing.states.degrees is not None:  # a knob
        return abs(thing.states.degrees - degrees) <= DIAL_TOLERANCE_DEG
    symmetry = symmetry_deg(thing)
    if symmetry is None or thing.turn_unknown:
        return None
    return abs(math.remainder(math.degrees(thing.pose.yaw) - degrees, symmetry)) <= (
        TURN_TOLERANCE_DEG)


def symmetry_deg(thing: SceneObject) -> float | None:
    """The smallest turn after which it looks the same; None if every turn looks the same."""
    if thing.shape is Shape.SPHERE or thing.shape in ROUND:
        return None
    if thing.shape is Shape.IRREGULAR:  # it has a handle or a head: only a full turn
        return 360.0
    long, short = max(thing.size[:2]), min(thing.size[:2])
    return 90.0 if long <= SAME_SIDES * short else 180.0


def is_upright(thing: SceneObject) -> bool | None:
    """Whether its longest axis (a container's own z) is vertical; None for a ball."""
    if thing.shape is Shape.SPHERE:
        return None
    if thing.is_container or thing.shape in ROUND:
        return up_alignment(thing) >= UPRIGHT_COS
    longest = int(np.argmax(thing.size))
    return bool(abs(thing.pose.rotation[2, longest]) >= UPRIGHT_COS)
