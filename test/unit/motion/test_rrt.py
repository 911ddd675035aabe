# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path search on a world of one ball: found, free, short and repeatable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka_numbers import limits
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.pose import FloatArray
from replan_agent.motion.blend import rounded
from replan_agent.motion.rrt import PathSearch, SearchLimits

LIMITS = limits('panda')
CTX = Context()
MIDDLE = (LIMITS.lower + LIMITS.upper) / 2
A, B = MIDDLE - 0.8, MIDDLE + 0.8


def outside_ball(joints: FloatArray) -> bool:
    """Free beyond 0.5 rad of the middle, which lies between A and B."""
    return bool(np.linalg.norm(joints - MIDDLE) > 0.5)


def find(free=outside_ball, seed: int = 0, **search):
    return PathSearch(LIMITS, free, SearchLimits(**search), seed).find(A, B, CTX)


def dense(path: list[FloatArray]) -> FloatArray:
    return np.concatenate([a + (b - a) * np.linspace(0, 1, 400)[:, None]
                           for a, b in zip(path, path[1:])])


def test_a_free_line_is_taken_as_it_is() -> None:
    path = find(free=lambda joints: True)
    assert path is not None and len(path) == 2


@pytest.mark.parametrize('seed', range(10))
def test_a_way_around_is_found_and_free_at_twenty_times_the_resolution(seed: int) -> None:
    path = find(seed=seed)
    assert path is not None
    np.testing.assert_array_equal(path[0], A)
    np.testing.assert_array_equal(path[-1], B)
    # Edges are checked every 0.02 rad, so they may cut 0.01 rad into a ball of 0.5 rad.
    assert np.linalg.norm(dense(path) - MIDDLE, axis=1).min() > 0.49


def test_the_path_stays_within_the_joint_limits() -> None:
    path = find()
    assert path is not None and all(LIMITS.contain(joints) for joints in path)


def test_shortcuts_make_the_path_shorter() -> None:
    def length(path) -> float:
        return sum(float(np.linalg.norm(b - a)) for a, b in zip(path, path[1:]))

    lengths = [(length(find(seed=s, shortcuts=0)), length(find(seed=s))) for s in range(5)]
    assert all(cut <= raw for raw, cut in lengths) and any(cut < raw for raw, cut in lengths)


def test_the_same_seed_gives_the_same_path() -> None:
    first, second = find(seed=3), find(seed=3)
    assert first is not None and second is not None
    assert all(np.array_equal(a, b) for a, b in zip(first, second))


def test_a_goal_that_is_walled_off_is_given_up_when_the_trees_are_full() -> None:
    def free(joints: FloatArray) -> bool:
        return bool(np.linalg.norm(joints - B) > 0.4)

    assert find(free=free, max_nodes=100) is None


def test_a_cancelled_search_ends() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        PathSearch(LIMITS, outside_ball).find(A, B, Context(token))


def test_rounded_corners_keep_the_ends_and_stay_near_the_path() -> None:
    path = [A, MIDDLE + np.eye(7)[0], B]
    points = rounded(path, 0.2)
    np.testing.assert_array_equal(points[0], A)
    np.testing.assert_array_equal(points[-1], B)
    polyline = dense(path)
    away = [np.linalg.norm(polyline - point, axis=1).min() for point in points]
    assert max(away) < 0.1  # a parabola leaves its corner by at most half the radius


def test_rounded_corners_turn_gently() -> None:
    points = rounded([A, MIDDLE + np.eye(7)[0], B], 0.4)
    edges = np.diff(points, axis=0)
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    turns = np.arccos(np.clip(np.sum(edges[1:] * edges[:-1], axis=1), -1, 1))
    assert turns.max() < 0.5


def test_a_way_out_is_followed_only_as_far_as_its_edges_are_free() -> None:
    tips = [A + 0.1 * k for k in (1, 2, 3)]

    def free(joints: FloatArray) -> bool:  # blocked between the first two tips
        return outside_ball(joints) and not 0.12 < (joints - A)[0] < 0.18

    search = PathSearch(LIMITS, free, SearchLimits(), 0, lambda end: [tips])
    path = search.find(A, B, CTX)
    assert path is None or all(map(free, dense(path)))


def test_a_joint_that_turns_more_than_once_is_not_tried_far_around() -> None:
    far = replace(LIMITS, lower=np.full(7, -50.0), upper=np.full(7, 50.0))
    tried: list[FloatArray] = []

    def free(joints: FloatArray) -> bool:
        tried.append(joints)
        return outside_ball(joints)

    assert PathSearch(far, free).find(A, B, CTX) is not None
    assert np.abs(np.array(tried) - MIDDLE).max() < 0.8 + np.pi + 1.0
