# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Following trajectories: exactly, within limits, and not at all when they are wrong."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.skill import Reason
from replan_agent.robot.sampling import sample
from replan_agent.robot.stepped_robot import STANDSTILL

SWING = np.array([0.9, 0.3, -0.5, 0.6, 0.7, 0.4, -0.8])


def swung(bench):
    return bench.robot.home + SWING


@pytest.mark.parametrize('model', ['panda', 'fr3'])
def test_a_trajectory_is_followed_to_its_end(make_bench, model) -> None:
    bench = make_bench(model=model)
    goal = swung(bench)
    assert bench.robot.execute(bench.trajectory(goal), Context()).success
    state = bench.robot.state()
    assert np.abs(state.joints - goal).max() < 0.002
    assert np.abs(state.velocities).max() < STANDSTILL


def test_the_arm_stays_close_to_a_fast_trajectory(bench) -> None:
    trajectory = bench.trajectory(swung(bench), scale=1.0)
    errors = []

    def compare() -> None:
        wanted = sample(trajectory, np.array([bench.world.time]))[0][0]
        errors.append(np.abs(bench.robot.state().joints - wanted).max())

    bench.world.on_step(compare, every_s=0.002)
    bench.robot.execute(trajectory, Context())
    assert max(errors) < 0.005


@pytest.mark.parametrize('model', ['panda', 'fr3'])
def test_joint_speeds_stay_within_their_limits_at_full_speed(make_bench, model) -> None:
    bench = make_bench(model=model)
    peak, rng = np.zeros(7), np.random.default_rng(3)
    bench.world.on_step(
        lambda: np.maximum(peak, np.abs(bench.robot.state().velocities), out=peak), every_s=0.002)
    home = bench.robot.home
    others = [home + rng.uniform(-1, 1, 7) * (1, 0.2, 0.5, 0.3, 1, 0.4, 1) for _ in range(6)]
    for goal in (swung(bench), home - SWING, home, *others):
        assert bench.robot.execute(bench.trajectory(goal, scale=1.0), Context()).success
    assert np.all(peak <= bench.robot.limits.velocity)
    assert np.any(peak > 0.98 * bench.robot.limits.velocity)


def test_joint_speeds_stay_within_their_limits_with_a_load(make_bench, thing) -> None:
    bench = make_bench(thing(mass=2.0))
    bench.grasp('cube', force=70.0)
    peak = np.zeros(7)
    bench.world.on_step(
        lambda: np.maximum(peak, np.abs(bench.robot.state().velocities), out=peak), every_s=0.002)
    for turn in (1.2, -1.2):
        goal = bench.robot.state().joints + turn * np.eye(7)[0]
        assert bench.robot.execute(bench.trajectory(goal, scale=1.0), Context()).success
    assert np.all(peak <= bench.robot.limits.velocity)


def test_robot_time_is_the_time_of_the_world(bench) -> None:
    trajectory = bench.trajectory(swung(bench))
    bench.robot.execute(trajectory, Context())
    assert bench.robot.state().stamp == bench.world.time
    assert trajectory.duration <= bench.world.time <= trajectory.duration + 0.2


@pytest.mark.parametrize(('interruption', 'raised'), [
    ('cancel', Cancelled), ('deadline', DeadlineExceeded),
])  # fmt: skip
def test_an_interrupted_motion_ends_at_standstill_short_of_its_goal(
        bench, interruption, raised) -> None:
    token, clock = CancelToken(), iter(range(1000))
    ctx = Context(token) if interruption == 'cancel' else Context(
        deadline=20, now=lambda: next(clock))
    if interruption == 'cancel':
        bench.world.on_step(token.cancel, every_s=0.3)
    goal = swung(bench)
    with pytest.raises(raised):
        bench.robot.execute(bench.trajectory(goal), ctx)
    state = bench.robot.state()
    assert np.abs(state.velocities).max() < STANDSTILL
    assert np.abs(state.joints - goal).max() > 0.2
    assert np.abs(state.joints - bench.robot.home).max() > 0.01


def test_an_interrupted_motion_brakes_within_the_acceleration_limits(bench) -> None:
    token, speeds = CancelToken(), []
    end = bench.world.on_step(token.cancel, every_s=0.3)
    bench.world.on_step(lambda: speeds.append(bench.robot.state().velocities), every_s=0.01)
    with pytest.raises(Cancelled):
        bench.robot.execute(bench.trajectory(swung(bench), scale=0.9), Context(token))
    end()
    accelerations = np.abs(np.diff(speeds, axis=0)) / 0.01
    assert np.all(accelerations <= 1.25 * bench.robot.limits.acceleration)


def test_a_cancelled_arm_takes_the_next_command(bench) -> None:
    token = CancelToken()
    end = bench.world.on_step(token.cancel, every_s=0.3)
    with pytest.raises(Cancelled):
        bench.robot.execute(bench.trajectory(swung(bench)), Context(token))
    end()
    assert bench.robot.execute(bench.trajectory(bench.robot.home), Context()).success


def test_a_stop_from_another_thread_ends_the_motion_at_standstill(bench) -> None:
    stopper = threading.Thread(target=bench.robot.stop)
    end = bench.world.on_step(lambda: stopper.start() if not stopper.ident else None, every_s=0.3)
    result = bench.robot.execute(bench.trajectory(swung(bench), scale=0.1), Context())
    end()
    stopper.join(10)
    assert not result.success and result.reason is Reason.STOPPED
    assert np.abs(bench.robot.state().velocities).max() < STANDSTILL
    assert not stopper.is_alive()


def test_a_stop_while_idle_does_not_spoil_the_next_command(bench) -> None:
    bench.robot.stop()
    assert bench.robot.execute(bench.trajectory(swung(bench)), Context()).success


def refused(bench, trajectory) -> str:
    before = bench.robot.state()
    result = bench.robot.execute(trajectory, Context())
    assert not result.success and result.reason is Reason.CONTROLLER_ABORTED
    assert bench.robot.state().stamp == before.stamp, 'a refused trajectory moved the arm'
    return result.detail


def test_a_trajectory_that_starts_elsewhere_is_refused(bench) -> None:
    trajectory = bench.trajectory(swung(bench))
    shifted = replace(trajectory, positions=trajectory.positions + 0.06)
    assert '0.060 rad' in refused(bench, shifted)


def test_a_trajectory_for_other_joints_is_refused(bench) -> None:
    names = tuple(f'ur_joint{i}' for i in range(7))
    detail = refused(bench, replace(bench.trajectory(swung(bench)), names=names))
    assert 'ur_joint0' in detail and 'panda_joint1' in detail


def test_a_trajectory_beyond_a_joint_limit_is_refused(bench) -> None:
    goal = bench.robot.home
    goal[3] = 0.3
    detail = refused(bench, bench.trajectory(goal))
    assert 'position of panda_joint4' in detail and '-0.070' in detail


def test_a_trajectory_that_is_too_fast_is_refused(bench) -> None:
    trajectory = bench.trajectory(swung(bench), scale=1.0)
    hurried = replace(trajectory, times=trajectory.times / 2,
                      velocities=trajectory.velocities * 2)
    assert 'velocity of panda_joint' in refused(bench, hurried)


def test_a_blocked_arm_gives_up_and_names_the_joint(make_bench, thing) -> None:
    wall = thing('wall', size=(0.3, 0.04, 0.8), position=(0.25, 0.22, 0.4), fixed=True)
    bench = make_bench(wall)
    goal = bench.robot.home
    goal[0] = 1.2
    result = bench.robot.execute(bench.trajectory(goal), Context())
    assert not result.success and result.reason is Reason.CONTROLLER_ABORTED
    assert 'panda_joint' in result.detail and ' rad ' in result.detail
    assert np.abs(bench.robot.state().velocities).max() < STANDSTILL


@pytest.mark.parametrize(('depth_m', 'at_the_end'), [(0.02, True), (0.06, False)])
def test_an_arm_that_the_table_holds_up_says_whether_it_got_to_the_end(
        bench, depth_m, at_the_end) -> None:
    """Slightly below the table top it settles beside its goal, further down it loses its path."""
    bench.go(0.5, -0.2, 0.1)
    below = bench.trajectory(bench.joints_above(0.5, -0.2, -depth_m), scale=0.3)
    pressed = bench.robot.execute(below, Context())
    assert pressed.cause is Cause.HELD_UP and pressed.short_of_goal is at_the_end
