# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight joint-space edges: in which order to check one, and how to cut a path's detours."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray

Free = Callable[[FloatArray], bool]  # one posture (joints,)
AllFree = Callable[[FloatArray], bool]  # postures (N, joints)
EdgeFree = Callable[[FloatArray, FloatArray], bool]


def each(free: Free) -> AllFree:
    """The test of many postures by one at a time."""
    return lambda postures: all(map(free, postures))


def edge_is_free(all_free: AllFree, a: FloatArray, b: FloatArray, largest_step: float) -> bool:
    """Whether the line between two configurations is free, without its ends.

    `largest_step` (rad) is how far a joint may move between two checks.
    """
    gap = b - a
    steps = math.ceil(max(map(abs, gap.tolist())) / largest_step)
    return steps < 2 or all_free(a + _spread(steps)[1:] * gap)


def step_is_free(all_free: AllFree, a: FloatArray, b: FloatArray, largest_step: float) -> bool:
    """Whether `b` and the line from `a` to it are free."""
    gap = b - a
    steps = max(1, math.ceil(max(map(abs, gap.tolist())) / largest_step))
    return all_free(a + _spread(steps) * gap)


@cache
def _spread(steps: int) -> FloatArray:
    """The shares 1, then 1/steps to 1 - 1/steps (steps, 1): middle first, then ever finer.

    A blocked edge is usually blocked over some length, so this finds it after a few checks.
    """
    order: list[int] = [steps]
    ranges = [(0, steps)]
    for low, high in ranges:
        middle = (low + high) // 2
        if low < middle:
            order.append(middle)
            ranges += [(low, middle), (middle, high)]
    shares = np.array(order, dtype=float)[:, None] / steps
    shares.flags.writeable = False
    return shares


def without_corners(path: list[FloatArray], edge_free: EdgeFree, ctx: Context) -> list[FloatArray]:
    """The path that goes from each point on to the farthest one that it sees."""
    kept, i = [path[0]], 0
    while i < len(path) - 1:
        ctx.check()
        i = next((j for j in range(len(path) - 1, i + 1, -1) if edge_free(path[i], path[j])),
                 i + 1)
        kept.append(path[i])
    return kept


def shortened(path: list[FloatArray], edge_free: EdgeFree, tries: int,
              rng: np.random.Generator, ctx: Context) -> list[FloatArray]:
    """The path with detours cut: straight lines between random points of it."""
    for _ in range(tries):
        if len(path) <= 2:
            break
        ctx.check()
        path = _cut(path, edge_free, rng)
    return path


def _cut(path: list[FloatArray], edge_free: EdgeFree,
         rng: np.random.Generator) -> list[FloatArray]:
    """The path with a straight line between two random points of it, if that is free."""
    ends = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    low, high = np.sort(rng.uniform(0.0, ends[-1], 2))
    i, j = (min(int(np.searchsorted(ends, at, side='right')) - 1, len(path) - 2)
            for at in (low, high))
    if i == j:
        return path
    a = path[i] + (path[i + 1] - path[i]) * ((low - ends[i]) / (ends[i + 1] - ends[i]))
    b = path[j] + (path[j + 1] - path[j]) * ((high - ends[j]) / (ends[j + 1] - ends[j]))
    return [*path[:i + 1], a, b, *path[j + 1:]] if edge_free(a, b) else path
