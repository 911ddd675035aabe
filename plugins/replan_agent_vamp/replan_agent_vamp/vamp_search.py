# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths of VAMP, a path search in SIMD C++ for a Panda made of balls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from transforms3d import euler

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject, Shape

ARM = 'panda'
SEARCH = 'rrtc'  # RRT-Connect
MOST_STEPS = 100_000  # of the search: about 20 ms
# So many searches if the path is this much longer than the straight line: the first is chance.
CHANCES, LONG = 3, 1.5
# VAMP's hand is thinner than ours, so it carries balls that fill ours: so many along its axes.
# Their corners stick out by less than this. Balls around all of it would be too thick elsewhere.
HAND_BALLS, HAND_CORNERS_M = (2, 5, 2), 0.006
SPARE_STEP_M = 0.004
LEAST_SPARE_M = -0.012  # VAMP's arm is thicker than ours elsewhere
THINNEST_M = 0.001  # half a thing
BASE, BASE_M = (0.0, 0.0, 0.05), 0.081  # the ball that is VAMP's base, which never moves


class VampSearch:
    """VAMP's search and its own smoothing. `vamp` is its module, or what speaks its interface."""

    def __init__(self, vamp: Any) -> None:
        self._vamp = vamp
        self._robot, self._plan, self._settings, self._smoothing = (
            vamp.configure_robot_and_planner_with_kwargs(ARM, SEARCH))
        self._settings.max_iterations = self._settings.max_samples = MOST_STEPS
        self._hand = vamp.Attachment(np.eye(4, dtype=np.float32))  # at the tool centre point
        self._hand.add_spheres([vamp.Sphere(_numbers(centre), radius)
                                for centre, radius in hand_balls()])

    def samples(self) -> Any:
        """Where the search looks. It begins always the same, and each path goes on from there."""
        return self._robot.halton()

    def spare_m(self, thing: SceneObject, ends: Sequence[FloatArray],
                most_m: float) -> float | None:
        """How much larger a thing may be, so that both ends of a path are free for VAMP.

        It is `most_m` or less, below zero for one that has to be smaller, and None for one that is
        still in the way then.
        """
        postures = list(map(_numbers, ends))
        for spare_m in np.arange(most_m, LEAST_SPARE_M - 1e-6, -SPARE_STEP_M).tolist():
            world = self._world([thing], [spare_m])
            if all(self._robot.validate(joints, world) for joints in postures):
                return float(spare_m)
        return None

    def path(self, start: FloatArray, goal: FloatArray, things: Sequence[SceneObject],
             spares_m: Sequence[float], samples: Any) -> FloatArray | None:
        """Joint waypoints (N, 7) among things that are larger by so much; None without a path."""
        world = self._world(things, spares_m)
        ends = _numbers(start), [_numbers(goal)]
        straight, best, shortest = float(np.linalg.norm(goal - start)), None, np.inf
        for _ in range(CHANCES):
            found = self._plan(*ends, world, self._settings, samples)
            if not found.solved:
                break
            smooth = self._robot.simplify(found.path, world, self._smoothing, samples)
            path = np.array([start, *np.array(smooth.path.numpy(), dtype=float)[1:-1], goal])
            length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
            if length < shortest:
                best, shortest = path, length
            if length < LONG * straight:
                break
        return best

    def _world(self, things: Sequence[SceneObject], spares_m: Sequence[float]) -> Any:
        """Things as balls or as boxes around them. Our own check knows their true shapes."""
        world = self._vamp.Environment()
        for thing, spare_m in zip(things, spares_m):
            half = [max(THINNEST_M, size / 2 + spare_m) for size in thing.size]
            if thing.shape is Shape.SPHERE:
                world.add_sphere(self._vamp.Sphere(list(thing.position), half[0]))
                continue
            turn = [float(angle)
                    for angle in euler.quat2euler(thing.pose.quaternion, axes='sxyz')]
            for centre, sides in around_base(thing, half):
                world.add_cuboid(self._vamp.Cuboid(centre, turn, sides))
        world.attach(self._hand)
        return world


def around_base(thing: SceneObject, half: list[float]) -> list[tuple[list[float], list[float]]]:
    """The box of a thing, or the four around the arm's base if it stands in it, as on a table.

    Their centres and half sides. VAMP's base would always touch the one.
    """
    whole = [(list(thing.position), half)]
    if math.dist(BASE, thing.position) >= math.hypot(*half) + BASE_M:
        return whole
    base = thing.pose.rotation.T @ (np.array(BASE) - thing.position)
    if (np.abs(base) >= np.array(half) + BASE_M).any():
        return whole
    (x, y, _), (wide, deep, high) = base, half
    left, right = (min(max(x + side, -wide), wide) for side in (-BASE_M, BASE_M))
    corners = np.array([
        [(-wide, -deep, -high), (left, deep, high)], [(right, -deep, -high), (wide, deep, high)],
        [(left, -deep, -high), (right, y - BASE_M, high)],
        [(left, y + BASE_M, -high), (right, deep, high)]])
    return [(_numbers(thing.position + thing.pose.rotation @ (low + top) / 2),
             _numbers((top - low) / 2)) for low, top in corners if (low < top).all()]


def hand_balls() -> list[tuple[FloatArray, float]]:
    """Balls that fill our hand: their centres in the frame of the TCP, and radii (m)."""
    balls = []
    for box in PANDA.shapes.hand:
        cell = np.array(box.size) / 2 / HAND_BALLS
        numbers = np.indices(HAND_BALLS).reshape(3, -1).T
        centres = np.array(box.centre) + (2 * numbers + 1 - np.array(HAND_BALLS)) * cell
        radius = float(np.linalg.norm(cell)) - HAND_CORNERS_M
        balls += [(centre - (0.0, 0.0, PANDA.hand.tcp_m), radius) for centre in centres]
    return balls


def _numbers(joints: FloatArray) -> list[float]:
    return [float(angle) for angle in joints]
