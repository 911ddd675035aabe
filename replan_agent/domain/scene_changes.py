# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What changed between two looks: which objects moved, arrived or are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from replan_agent.text.plain_values import Recorded, on_disk

from .scene import Scene, SceneObject, Shape
from .shape import reach

MOVED_M = 0.015  # an object that is this far off was moved; less may be noise of perception
PART_M = 0.002  # what is seen of a hidden thing is this exact


def moved_m(old: SceneObject, new: SceneObject) -> float:
    """How far (m) a thing moved, but for what a part explains that one look hides, by its axes."""
    turn = old.pose.rotation.T
    (low, high), (now_low, now_high) = ([turn @ thing.position + sign * reach(
        thing, sign * turn @ thing.pose.rotation) for sign in (-1, 1)] for thing in (old, new))
    off, grown = np.abs(low + high - now_low - now_high) / 2, now_high - now_low - high + low
    hidden = np.minimum(np.abs(grown), abs(sum(old.size) - sum(new.size))) / 2
    return float(np.linalg.norm(off[off > hidden + PART_M]))


@dataclass(frozen=True)
class SceneChanges(Recorded):
    """`moved` says how far (m) each object moved."""

    moved: Mapping[str, float] = field(default_factory=dict, metadata=on_disk(
        write=lambda moved: {name: round(by, 3) for name, by in moved.items()}))
    arrived: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.moved or self.arrived or self.gone)

    @staticmethod
    def between(before: Scene, after: Scene, ignoring: Collection[str | None] = ()
                ) -> SceneChanges:
        """What changed, but for the table and what is in `ignoring`; nothing in an old picture."""
        if before.stale or after.stale:
            return SceneChanges()
        old = {o.name: o for o in before.objects if o.shape is not Shape.TABLE}
        new = {o.name: o for o in after.objects if o.shape is not Shape.TABLE}
        return SceneChanges(
            {name: far for name in old if name in new and name not in ignoring
             and (far := moved_m(old[name], new[name])) >= MOVED_M},
            tuple(name for name in new if name not in old and name not in ignoring),
            tuple(name for name in old if name not in new and name not in ignoring))
