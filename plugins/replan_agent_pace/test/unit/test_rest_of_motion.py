# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rest of a motion at a share of its speed: the same path, within its own limits."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_pace.rest_of_motion import reached_s, slowed

from replan_agent.arms.franka import FR3
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import peaks, time_joint_move, time_path

HOME = np.array(FR3.home)


def curve(scale: float = 0.3) -> JointTrajectory:
    """A curved motion of all joints."""
    away = HOME + [0.4, -0.2, 0.3, 0.3, -0.2, 0.1, 0.5]
    return time_path(np.array([HOME, HOME + 0.1, away]), FR3.limits, scale, scale)


@pytest.mark.parametrize('share', [0.05, 0.3, 1.0])
@pytest.mark.parametrize('from_s', [0.0, 0.4, 1.1])
def test_it_begins_and_ends_at_rest_on_the_path_and_is_nowhere_faster(share: float,
                                                                     from_s: float) -> None:
    whole = curve()
    rest = slowed(whole, share, from_s)
    fine = np.linspace(0, whole.duration, 20 * len(whole.times))
    path = np.stack([np.interp(fine, whole.times, joint) for joint in whole.positions.T], axis=1)
    assert np.allclose(rest.end, whole.end)
    assert np.allclose(rest.start, path[np.searchsorted(fine, from_s)], atol=1e-3)
    assert np.allclose(rest.velocities[[0, -1]], 0, atol=1e-6)
    away = [np.abs(path - joints).max(axis=1).min() for joints in rest.positions]
    assert max(away) < 1e-3, 'it leaves the path'
    assert (np.abs(rest.velocities).max(axis=0)
            <= share * np.abs(whole.velocities).max(axis=0) * 1.001).all()
    (_, most), (_, hardest) = peaks(whole), peaks(rest)
    assert (hardest <= 1.2 * most + 1e-6).all()


def test_a_share_of_one_from_the_start_is_the_motion_itself() -> None:
    whole = curve()
    assert slowed(whole, 1.0) is whole


def test_positions_and_speeds_of_the_rest_fit_each_other() -> None:
    rest = slowed(curve(), 0.5, 0.6)
    between = np.diff(rest.positions, axis=0) / np.diff(rest.times)[:, None]
    mean = (rest.velocities[1:] + rest.velocities[:-1]) / 2
    assert np.abs(between - mean).max() < 0.01


def test_what_is_left_at_the_very_end_is_still_a_motion() -> None:
    whole = curve()
    rest = slowed(whole, 0.5, whole.duration)
    assert rest.duration > 0 and np.allclose(rest.end, whole.end)


def test_the_place_on_the_path_is_looked_for_between_what_was_done_and_what_can_be() -> None:
    there = time_joint_move(HOME, HOME + 0.3, FR3.limits, 0.3, 0.3)
    back = there.reversed()
    both = JointTrajectory(there.names, np.concatenate([there.times, there.duration
                                                        + back.times[1:]]),
                           *(np.concatenate([getattr(there, what), getattr(back, what)[1:]])
                             for what in ('positions', 'velocities', 'accelerations')))
    k = len(there.times) // 3
    joints, early, late = both.positions[k], both.times[k], both.times[-1 - k]
    assert reached_s(both, joints, 0.0, there.duration) == pytest.approx(early, abs=0.02)
    assert reached_s(both, joints, 0.0, both.duration) == pytest.approx(late, abs=0.02)
    assert reached_s(both, joints, early + 0.3, both.duration) == pytest.approx(late, abs=0.02)
