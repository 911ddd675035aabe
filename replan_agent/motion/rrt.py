"""Joint-space paths around obstacles: straight if possible, else two trees, then shortcuts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from .shortcuts import Free, edge_is_free, shortened

Leads = Callable[[FloatArray], list[FloatArray]]

LARGER_TREE_EVERY = 4  # of so many steps, one is of the larger tree: the smaller is stuck
NEAR_LINE, NEAR_TREE = 0.3, 0.3  # shares of the samples; the others are anywhere
LINE_SPREAD, TREE_SPREAD = 0.6, 0.5  # rad


@dataclass(frozen=True)
class SearchLimits:
    """How hard to search.

    `resolution` (rad) is the largest joint step between two checks of the path that is found.
    While the trees grow, checks are `coarse` apart.
    """

    resolution: float = 0.02
    coarse: float = 0.08
    step: float = 0.6
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

    def to_root(self, index: int) -> list[int]:
        indices = []
        while index >= 0:
            indices.append(index)
            index = self.parents[index]
        return indices

    def cut(self, index: int) -> None:
        """Take a node out, and all that grew from it: nothing is near it any more."""
        gone = {index}
        for k in range(index, self.count):  # a parent is always before its children
            if k in gone or self.parents[k] in gone:
                gone.add(k)
                self.nodes[k] = np.inf

    @property
    def full(self) -> bool:
        return self.count >= len(self.nodes)


class PathSearch:
    """Bidirectional RRT (RRT-Connect) on any `free` test. The same seed gives the same path.

    `leads` gives the first joints of a way out of a configuration: both trees begin with them.
    """

    def __init__(self, limits: JointLimits, free: Free, search: SearchLimits | None = None,
                 seed: int = 0, leads: Leads | None = None) -> None:
        self._limits = limits
        self._free = free
        self._search = search or SearchLimits()
        self._leads = leads
        self._rng = np.random.default_rng(seed)
        self.edge_free = partial(edge_is_free, free, largest_step=self._search.resolution)
        self._coarsely_free = partial(edge_is_free, free, largest_step=self._search.coarse)

    def find(self, start: FloatArray, goal: FloatArray, ctx: Context) -> list[FloatArray] | None:
        """Waypoints from start to goal, every edge free; None if none was found.

        Assumes that start and goal themselves are free.
        """
        if self.edge_free(start, goal):
            return [start, goal]
        tries = self._search.shortcuts
        one, other = (_Tree.rooted(end, self._search.max_nodes) for end in (start, goal))
        for here, there in self._meetings(one, other, ctx):
            path = [*one.nodes[one.to_root(here)[::-1]], *other.nodes[other.to_root(there)[1:]]]
            # The trees are checked coarsely. Mostly it is enough to check the short path well.
            short = shortened(path, self._coarsely_free, tries, self._rng, ctx)
            if all(map(self.edge_free, short, short[1:])):
                return short
            if self._proved(one, here) and self._proved(other, there):
                return shortened(path, self.edge_free, tries, self._rng, ctx)
        return None

    def _meetings(self, start: _Tree, goal: _Tree, ctx: Context) -> Iterator[tuple[int, int]]:
        """The same joints as a node of both trees, again and again until a tree is full."""
        ends, turn = (start.nodes[0], goal.nodes[0]), 0
        while not (start.full or goal.full):
            ctx.check()
            small, large = (start, goal) if start.count <= goal.count else (goal, start)
            tree, other = (small, large) if turn % LARGER_TREE_EVERY else (large, small)
            if turn < len(ends):
                tree, other = (goal, start) if turn else (start, goal)
                new: int | None = self._lead_out(tree)
            else:
                new = self._extend(tree, self._sample(tree, *ends))
            met = None if new is None else self._connect(other, tree.nodes[new])
            if new is not None and met is not None:
                yield (new, met) if tree is start else (met, new)
            turn += 1

    def _sample(self, tree: _Tree, start: FloatArray, goal: FloatArray) -> FloatArray:
        """Random joints: near the line from start to goal, near the tree, or anywhere."""
        kind = self._rng.random()
        if kind < NEAR_LINE:
            near, spread = start + (goal - start) * self._rng.random(), LINE_SPREAD
        elif kind < NEAR_LINE + NEAR_TREE:
            near, spread = tree.nodes[self._rng.integers(tree.count)], TREE_SPREAD
        else:
            return self._rng.uniform(self._limits.lower, self._limits.upper)
        return self._limits.clamp(near + spread * self._rng.standard_normal(len(near)))

    def _lead_out(self, tree: _Tree) -> int:
        """Begin a tree with the way out of its root. Returns the tip."""
        tip = 0
        for joints in self._leads(tree.nodes[0]) if self._leads else ():
            if not tree.full:
                tip = tree.add(joints, tip)
        return tip

    def _extend(self, tree: _Tree, towards: FloatArray) -> int | None:
        """One step of a tree: the index of the new node, or None if blocked."""
        near = tree.nearest(towards)
        origin = tree.nodes[near]
        gap = towards - origin
        share = self._search.step / max(math.sqrt(gap @ gap), 1e-12)
        new = towards if share >= 1 else origin + gap * share
        if tree.full or not self._free(new) or not self._coarsely_free(origin, new):
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

    def _proved(self, tree: _Tree, index: int) -> bool:
        """Whether the way from the root is really free. If it is not, it is cut there."""
        way = tree.to_root(index)[::-1]
        for parent, child in zip(way, way[1:]):
            if not self.edge_free(tree.nodes[parent], tree.nodes[child]):
                tree.cut(child)
                return False
        return True
