# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Edges, corners and ways out: what the path search is made of."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.arms.franka_numbers import limits
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.motion.blend import checkpoints, free_radii, rounded
from replan_agent.motion.cartesian import WAY_OUT_STEP_M, ways_out
from replan_agent.motion.rrt import PathSearch
from replan_agent.motion.shortcuts import each, edge_is_free, shortened, without_corners
from replan_agent.motion.timing import time_joint_move

LIMITS = limits('panda')
X, Y = np.eye(7)[0], np.eye(7)[1]


def always(joints: FloatArray) -> bool:
    return True


def test_an_edge_is_checked_at_every_step_and_in_the_middle_first() -> None:
    seen: list[float] = []
    assert edge_is_free(each(lambda q: seen.append(q[0]) or True), 0 * X, X, 0.1)  # type: ignore[func-returns-value]
    assert seen[0] == pytest.approx(0.5)
    np.testing.assert_allclose(sorted(seen), np.arange(1, 10) / 10)


def test_a_blocked_edge_is_found_after_a_few_checks() -> None:
    calls: list[float] = []

    def free(joints: FloatArray) -> bool:
        calls.append(joints[0])
        return not 0.7 < joints[0] < 0.9

    assert not edge_is_free(each(free), 0 * X, X, 0.01)
    assert len(calls) <= 8


def test_a_detour_is_cut_where_the_way_is_free() -> None:
    detour = [0 * X, Y, X + Y, X]
    assert len(without_corners(detour, lambda a, b: True, Context())) == 2
    blocked = shortened(detour, lambda a, b: False, 20, np.random.default_rng(0), Context())
    assert len(blocked) == len(detour)


def test_a_corner_is_rounded_as_far_as_it_is_free() -> None:
    path = [0 * X, X, X + Y, 2 * X + Y]

    def edge_free(a: FloatArray, b: FloatArray) -> bool:  # inside of the first corner is blocked
        return bool(not 0.75 < a[0] < 0.95 or a[1] == 0)

    first, second = free_radii(path, edge_free, (0.4, 0.2, 0.01))
    assert first < second == 0.4
    assert len(rounded(path, [first, second])) > len(path)


@pytest.mark.parametrize('speed', [0.05, 1.0])
def test_a_motion_is_checked_at_the_same_places_at_any_speed(speed: float) -> None:
    motion = time_joint_move(HOME, HOME + X, LIMITS, speed, speed)
    joints = checkpoints(motion, 0.01)
    assert len(joints) == pytest.approx(100, abs=1)
    assert np.abs(np.diff(joints, axis=0)).max() <= 0.01 + 1e-9
    np.testing.assert_allclose(joints[-1], HOME + X)


def test_the_ways_out_move_the_hand_straight_back_inwards_and_up() -> None:
    arm = FrankaKinematics()
    hand = arm.forward(HOME)  # it points down, in front of the arm
    back, inward, up = ([arm.forward(q) for q in line] for line in ways_out(arm, HOME, always))
    for line, direction in ((back, (0, 0, 1)), (inward, (-1, 0, 0)), (up, (0, 0, 1))):
        assert len(line) >= 3
        moved = line[2][:3, 3] - hand[:3, 3]
        np.testing.assert_allclose(moved, 3 * WAY_OUT_STEP_M * np.array(direction), atol=0.01)
        np.testing.assert_allclose(line[2][:3, :3], hand[:3, :3], atol=0.05)


def test_a_way_out_ends_where_something_is_in_the_way() -> None:
    assert list(ways_out(FrankaKinematics(), HOME, lambda joints: False)) == [[], [], []]


def test_a_search_uses_the_way_out_of_a_narrow_place() -> None:
    """The goal is at the end of a tube along joint 1 that random samples hardly ever hit."""
    goal, start = HOME.copy(), HOME + 1.0 * Y

    def free(joints: FloatArray) -> bool:
        inside = np.abs(joints - goal)[1:].max() < 0.02
        return bool(inside or np.abs(joints - goal).max() > 0.4)

    def tube(joints: FloatArray) -> list[list[FloatArray]]:
        ahead = joints is not None and np.abs(joints - goal).max() < 1e-9
        return [[goal + k * 0.1 * X for k in range(1, 7)] if ahead else []]

    path = PathSearch(LIMITS, free, ways_out=tube).find(start, goal, Context())
    assert path is not None
    assert all(edge_is_free(each(free), a, b, 0.02) for a, b in zip(path, path[1:]))
