"""Joint-space paths around obstacles: straight if possible, else two trees, then shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

Free = Callable[[FloatArray], bool]


@dataclass(frozen=True)
class SearchLimits:
    """How hard to search. `resolution` (rad) is the largest joint step between two checks."""

    resolution: float = 0.02
    step: float = 0.35
    max_nodes: int = 3000
    shortcuts: int = 60


@dataclass
class _Tree:
    nodes: FloatArray
    parents: list[int] = field(default_factory=list)
    count: int = 0

    @staticmethod
    def rooted(at: FloatArray, capacity: int) -> _Tree:
        tree = _Tree(np.empty((capacity, len(at))))
        tree.add(at, -1)
        return tree

    def add(self, joints: FloatArray, parent: int) -> int:
        self.nodes[self.count] = joints
        self.parents.append(parent)
        self.count += 1
        return self.count - 1

    def nearest(self, joints: FloatArray) -> int:
        gaps = self.nodes[:self.count] - joints
        return int(np.argmin(np.einsum('ij,ij->i', gaps, gaps)))

    def path_to_root(self, index: int) -> list[FloatArray]:
        path = []
        while index >= 0:
            path.append(self.nodes[index].copy())
            index = self.parents[index]
        return path

    @property
    def full(self) -> bool:
        return self.count >= len(self.nodes)


class PathSearch:
    """Bidirectional RRT (RRT-Connect) on any `free` test. The same seed gives the same path."""

    def __init__(self, limits: JointLimits, free: Free, search: SearchLimits | None = None,
                 seed: int = 0) -> None:
        self._limits = limits
        self._free = free
        self._search = search or SearchLimits()
        self._rng = np.random.default_rng(seed)

    def find(self, start: FloatArray, goal: FloatArray, ctx: Context) -> list[FloatArray] | None:
        """Waypoints from start to goal, every edge free; None if none was found.

        Assumes that start and goal themselves are free.
        """
        if self.edge_free(start, goal):
            return [start, goal]
        path = self._grow(start, goal, ctx)
        return None if path is None else self._shortcut(path, ctx)

    def edge_free(self, a: FloatArray, b: FloatArray) -> bool:
        """Whether the straight line between two configurations is free, without its ends."""
        steps = int(np.ceil(np.max(np.abs(b - a)) / self._search.resolution))
        # Middle first: a blocked edge is usually blocked there, so this finds it sooner.
        order = sorted(range(1, steps), key=lambda k: abs(k - steps / 2))
        return all(self._free(a + (b - a) * (k / steps)) for k in order)

    def _grow(self, start: FloatArray, goal: FloatArray, ctx: Context) -> list[FloatArray] | None:
        capacity = self._search.max_nodes
        one, other = _Tree.rooted(start, capacity), _Tree.rooted(goal, capacity)
        forward = True
        while not (one.full or other.full):
            ctx.check()
            sample = self._rng.uniform(self._limits.lower, self._limits.upper)
            new = self._extend(one, sample)
            if new is not None:
                met = self._connect(other, one.nodes[new])
                if met is not None:
                    there, back = one.path_to_root(new)[::-1], other.path_to_root(met)
                    path = there + back[1:]
                    return path if forward else path[::-1]
            one, other, forward = other, one, not forward
        return None

    def _extend(self, tree: _Tree, towards: FloatArray) -> int | None:
        """One step of a tree: the index of the new node, or None if blocked."""
        near = tree.nearest(towards)
        origin = tree.nodes[near]
        gap = towards - origin
        share = self._search.step / max(float(np.linalg.norm(gap)), 1e-12)
        new = towards if share >= 1 else origin + gap * share
        if tree.full or not self._free(new) or not self.edge_free(origin, new):
            return None
        return tree.add(new, near)

    def _connect(self, tree: _Tree, target: FloatArray) -> int | None:
        """Steps towards the other tree until they meet: the meeting node, or None."""
        while True:
            new = self._extend(tree, target)
            if new is None:
                return None
            if np.array_equal(tree.nodes[new], target):
                return new

    def _shortcut(self, path: list[FloatArray], ctx: Context) -> list[FloatArray]:
        """The path with detours cut; each cut is checked as finely as the path."""
        for _ in range(self._search.shortcuts):
            if len(path) <= 2:
                break
            ctx.check()
            i, j = sorted(self._rng.integers(0, len(path), 2))
            if j - i >= 2 and self.edge_free(path[i], path[j]):
                path = path[:i + 1] + path[j:]
        return path
