# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How alike two situations are, from 0 to 1.

    similarity = failure · (sum of weight · likeness) / (sum of weights)

`failure` is 0 for another skill. Before any failure it is 1 for the same skill; after one it is 1
for the same cause, 0.6 for the same reason with another cause, else 0. Of object and surroundings,
each feature counts that both situations have:

    shape            2   equal
    size             2   exp(-sum of |ln(a / b)|) over the sorted sides: 10 % on each side is 0.75
    colour           1   equal
    name             1   equal
    distance to base 0.5 falls to 0 over 0.3 m
    room around it   1   nearest gap, falls to 0 over 0.1 m, counted up to 0.1 m

Bearing and yaw do not count: a new pose of the same object is the same situation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from replan_agent.domain.recovery import Situation

SAME_REASON = 0.6
RADIUS_M, ROOM_M = 0.3, 0.1


def similarity(asked: Situation, known: Situation) -> float:
    """0 if nothing can be learned from `known`, 1 if it is the same situation."""
    failure = _failure(asked, known)
    if not failure:
        return 0.0
    likeness = _likeness(asked, known)
    total = sum(weight for weight, _ in likeness)
    return failure * sum(w * alike for w, alike in likeness) / total if total else 0.0


def same_kind(asked: Situation, known: Situation) -> bool:
    """Whether the names say the same kind of thing: red_cube and red_cube_2, not red_glass."""
    return _kind(asked.object) == _kind(known.object)


def _kind(name: str) -> str:
    """The last word of a name that is no number."""
    words = [word for word in re.split(r'[\W\d_]+', name.lower()) if word]
    return words[-1] if words else ''


def _failure(asked: Situation, known: Situation) -> float:
    if asked.skill != known.skill:
        return 0.0
    if not asked.reason or (asked.cause and asked.cause == known.cause):
        return 1.0
    return SAME_REASON if asked.reason == known.reason else 0.0


def _likeness(asked: Situation, known: Situation) -> list[tuple[float, float]]:
    """Weight and likeness of each feature that both situations have."""
    a, b = asked.features, known.features
    found: list[tuple[float, float]] = []
    if asked.object and known.object:
        found.append((1.0, float(asked.object == known.object)))
    for name, weight in (('shape', 2.0), ('colour', 1.0)):
        if a.get(name) and b.get(name):
            found.append((weight, float(a[name] == b[name])))
    sizes = _sides(a), _sides(b)
    if all(sizes):
        found.append((2.0, math.exp(-sum(abs(math.log(x / y)) for x, y in zip(*sizes)))))
    if _number(a, 'radius_m') is not None and _number(b, 'radius_m') is not None:
        found.append((0.5, _falling(abs(a['radius_m'] - b['radius_m']), RADIUS_M)))
    if 'nearest_gap_m' in a and 'nearest_gap_m' in b:
        found.append((1.0, _falling(abs(_room(a) - _room(b)), ROOM_M)))
    return found


def _sides(features: Mapping[str, Any]) -> list[float]:
    sides = features.get('size_m')
    usable = isinstance(sides, (list, tuple)) and len(sides) == 3 and all(
        isinstance(s, (int, float)) and s > 0 for s in sides)
    return [float(s) for s in sides] if usable and sides else []


def _room(features: Mapping[str, Any]) -> float:
    gap = _number(features, 'nearest_gap_m')
    return ROOM_M if gap is None else min(gap, ROOM_M)


def _number(features: Mapping[str, Any], name: str) -> float | None:
    value = features.get(name)
    return float(value) if isinstance(value, (int, float)) else None


def _falling(difference: float, over: float) -> float:
    return max(0.0, 1.0 - difference / over)
