# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint-space paths around obstacles: straight if possible, else two trees, then shortcuts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from .shortcuts import AllFree, Free, each, edge_is_free, shortened, step_is_free, without_corners

WaysOut = Callable[[FloatArray], Iterable[list[FloatArray]]]

LARGER_TREE_EVERY = 10  # of so many steps, one is of the larger tree: the smaller is stuck
NEAR_LINE, NEAR_TREE = 0.6, 0.3  # shares of the samples; the others are anywhere
LINE_SPREAD, TREE_SPREAD = 0.6, 0.5  # rad
BLOCK = 64  # samples

# Joints; or with a share, an offset from the node at that share of a tree.
Sample = tuple[FloatArray, float | None]


@dataclass(frozen=True)
class SearchLimits:
    """How hard to search. `resolution` (rad) is the largest joint step between two checks."""

    resolution: float = 0.02
    step: float = 0.6
    max_nodes: int = 3000
    shortcuts: int = 15


class _Tree:
    def __init__(self, root: FloatArray, capacity: int) -> None:
        self.nodes = np.empty((capacity, len(root)))
        self.squares = np.empty(capacity)  # of the lengths of the nodes
        self.parents: list[int] = []
        self.count = 0
        self.add(root, -1)

    def add(self, joints: FloatArray, parent: int) -> int:
        self.nodes[self.count], self.squares[self.count] = joints, joints @ joints
        self.parents.append(parent)
        self.count += 1
        return self.count - 1

    def nearest(self, joints: FloatArray) -> int:
        # |node - joints|² without |joints|², which is the same for all
        gaps = self.squares[:self.count] - self.nodes[:self.count] @ (2 * joints)
        return int(gaps.argmin())

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
    """Bidirectional RRT (RRT-Connect) on any `free` test. The same seed gives the same path.

    `ways_out` gives lines of joints that lead away from a configuration: both trees begin so.
    `all_free` is `free` for many configurations, if there is a faster test for them.
    """

    def __init__(self, limits: JointLimits, free: Free, search: SearchLimits | None = None,
                 seed: int = 0, ways_out: WaysOut | None = None,
                 all_free: AllFree | None = None) -> None:
        self._limits = limits
        self._search = search or SearchLimits()
        self._ways_out = ways_out
        self._rng = np.random.default_rng(seed)
        self.edge_free, self._step_free = (
            partial(test, all_free or each(free), largest_step=self._search.resolution)
            for test in (edge_is_free, step_is_free))

    def find(self, start: FloatArray, goal: FloatArray, ctx: Context) -> list[FloatArray] | None:
        """Waypoints from start to goal, every edge free; None if none was found.

        Assumes that start and goal themselves are free.
        """
        if self.edge_free(start, goal):
            return [start, goal]
        path = self._grow(start, goal, ctx)
        if path is None:
            return None
        try:
            path = without_corners(path, self.edge_free, ctx)
            path = shortened(path, self.edge_free, self._search.shortcuts, self._rng, ctx)
            return without_corners(path, self.edge_free, ctx)
        except DeadlineExceeded:
            return path  # with more detours

    def _grow(self, start: FloatArray, goal: FloatArray, ctx: Context) -> list[FloatArray] | None:
        """Two trees, until they meet or one is full."""
        one, other = (_Tree(end, self._search.max_nodes) for end in (start, goal))
        ways = ((tree, tip) for tree in (other, one) for tip in self._lead_out(tree))
        samples, turn = self._samples(start, goal), 0
        while not (one.full or other.full):
            ctx.check()
            way = next(ways, None)
            if way is not None:
                tree, new = way
            else:
                small, large = (one, other) if one.count <= other.count else (other, one)
                tree = small if turn % LARGER_TREE_EVERY else large
                new = self._extend(tree, self._placed(next(samples), tree))
            target = other if tree is one else one
            met = None if new is None else self._connect(target, tree.nodes[new])
            if new is not None and met is not None:
                path = tree.path_to_root(new)[::-1] + target.path_to_root(met)[1:]
                return path if tree is one else path[::-1]
            turn += 1
        return None

    def _samples(self, start: FloatArray, goal: FloatArray) -> Iterator[Sample]:
        """Random joints: near the line from start to goal, near a node of the tree, or anywhere.

        They are drawn in blocks, which is several times faster than one by one.
        """
        lower, upper = self._limits.lower, self._limits.upper
        turns = upper - lower > math.tau  # such a joint need not go far around
        lower = np.where(turns, np.maximum(lower, np.minimum(start, goal) - math.pi), lower)
        upper = np.where(turns, np.minimum(upper, np.maximum(start, goal) + math.pi), upper)
        while True:
            kinds, shares = self._rng.random((2, BLOCK))
            noise = self._rng.standard_normal((BLOCK, len(start)))
            anywhere = self._rng.uniform(lower, upper, noise.shape)
            near_line = np.clip(start + (goal - start) * shares[:, None] + LINE_SPREAD * noise,
                                lower, upper)
            for k, kind in enumerate(kinds.tolist()):
                if kind < NEAR_LINE:
                    yield near_line[k], None
                elif kind < NEAR_LINE + NEAR_TREE:
                    yield TREE_SPREAD * noise[k], shares[k]
                else:
                    yield anywhere[k], None

    def _placed(self, sample: Sample, tree: _Tree) -> FloatArray:
        joints, share = sample
        if share is None:
            return joints
        near = tree.nodes[int(share * tree.count)]
        return np.minimum(np.maximum(near + joints, self._limits.lower), self._limits.upper)

    def _lead_out(self, tree: _Tree) -> Iterator[int | None]:
        """Begin a tree with the ways out of its root, one by one. Yields their tips."""
        for line in self._ways_out(tree.nodes[0]) if self._ways_out else ():
            tip = 0
            for joints in line[:len(tree.nodes) - tree.count]:
                if not self.edge_free(tree.nodes[tip], joints):
                    break
                tip = tree.add(joints, tip)
            yield tip

    def _extend(self, tree: _Tree, towards: FloatArray) -> int | None:
        """One step of a tree: the index of the new node, or None if blocked."""
        near = tree.nearest(towards)
        origin = tree.nodes[near]
        gap = towards - origin
        share = self._search.step / max(math.sqrt(gap @ gap), 1e-12)
        new = towards if share >= 1 else origin + gap * share
        if tree.full or not self._step_free(origin, new):
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
