# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A topic slows and pauses what runs. The arm is simulated, in real time, and really moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from arm_bench import PATIENT, ArmBench
from replan_agent_pace.speed_scale import SpeedScale
from rig import WAIT_S, until
from std_msgs.msg import Float64

from replan_agent.app.build import plugins
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_stop import end_all
from replan_agent.ros.arm.pacing import pacing

TURN_RAD, UNDER_WAY_RAD = 1.2, 0.05
GIVEN = replace(PATIENT, speed_scale='speed_scale', driver_speed_scale='driver_scale')


class Bench(ArmBench):
    def __init__(self, ros: Any) -> None:
        super().__init__(ros, GIVEN, realtime_factor=1.0, state_rate=100.0)
        self.tell = self.node.create_publisher(Float64, 'speed_scale', 1).publish
        self.drive = self.node.create_publisher(Float64, 'driver_scale', 1).publish
        self.pace: SpeedScale = self.robot.pacing
        self.sent: list[Any] = []

    def scale(self, value: float) -> None:
        """Set the scale; returns when the robot has heard it."""
        def heard() -> bool:
            self.tell(Float64(data=value))
            return self.pace._scale == value or np.isnan(value) and np.isnan(self.pace._scale)

        until(heard)

    def moving(self, token: CancelToken | None = None) -> tuple[threading.Thread, list[Any]]:
        """A turn under way, and where its result will be."""
        results: list[Any] = []
        motion = self.turn(TURN_RAD if self.robot.state().joints[0] < 0.3 else -TURN_RAD, 0.2)

        def run() -> None:
            try:
                results.append(self.robot.execute(motion, Context(token or CancelToken())))
            except Cancelled as cancelled:
                results.append(cancelled)

        thread = threading.Thread(target=run)
        thread.start()
        until(lambda: abs(self.robot.state().joints[0] - motion.start[0]) > UNDER_WAY_RAD)
        self.goal = motion.end
        return thread, results


@pytest.fixture(scope='module')
def shared(ros: Any) -> Iterator[Bench]:
    made = Bench(ros)
    yield made
    made.close()


@pytest.fixture
def bench(shared: Bench) -> Iterator[Bench]:
    shared.scale(1.0)
    yield shared
    shared.robot.refusal = lambda: ''
    shared.pace._timeout_s = 0.0
    shared.scale(1.0)


def ended(thread: threading.Thread, results: list[Any]) -> Any:
    thread.join(WAIT_S)
    (result,) = results
    return result


def test_a_pause_holds_the_arm_on_its_way_and_the_motion_goes_on_after_it(bench: Bench) -> None:
    motion = bench.moving()
    bench.scale(0.0)
    until(lambda: bench.speed() < 0.005 and not bench.robot.commanding)
    assert not motion[1], 'it waits'
    assert bench.pace.said == 'paused: speed_scale is 0'
    here = bench.robot.state().joints.copy()
    assert 0.02 < abs(here[0] - bench.goal[0]) < TURN_RAD
    bench.scale(1.0)
    assert ended(*motion).success
    assert np.allclose(bench.robot.state().joints, bench.goal, atol=0.02)


def test_a_motion_is_slowed_while_it_runs_and_gets_where_it_should(bench: Bench) -> None:
    motion = bench.moving()
    bench.scale(0.25)
    fastest: list[float] = []
    until(lambda: bench.speed() < 0.01)  # it is sent again
    end = bench.sim.world.on_step(lambda: fastest.append(bench.speed()), every_s=0.02)
    assert ended(*motion).success
    end()
    top = 0.2 * bench.robot.limits.velocity[0]
    assert max(fastest) < 0.3 * top
    assert np.allclose(bench.robot.state().joints, bench.goal, atol=0.02)


def test_a_scale_that_rises_and_rests_makes_a_running_motion_faster(bench: Bench) -> None:
    bench.scale(0.1)
    results: list[Any] = []
    motion = bench.turn(TURN_RAD if bench.robot.state().joints[0] < 0.3 else -TURN_RAD, 0.2)
    thread = threading.Thread(target=lambda: results.append(
        bench.robot.execute(motion, Context())))
    thread.start()
    until(lambda: abs(bench.robot.state().joints[0] - motion.start[0]) > 0.01)
    bench.scale(1.0)
    until(lambda: bench.speed() > 0.25)
    assert ended(thread, results).success


def test_a_stop_in_a_pause_ends_the_motion_and_nothing_of_it_moves_later(bench: Bench) -> None:
    motion = bench.moving()
    bench.scale(0.0)
    until(lambda: bench.speed() < 0.005 and not bench.robot.commanding)
    bench.robot.refusal = lambda: 'stopped: a test'
    result = ended(*motion)
    assert (result.reason, result.detail) == (Reason.STOPPED, 'stopped: a test')
    here = bench.robot.state().joints.copy()
    bench.scale(1.0)
    bench.robot.refusal = lambda: ''
    before = bench.sim.world.time
    until(lambda: bench.sim.world.time > before + 0.5)
    assert np.allclose(bench.robot.state().joints, here, atol=2e-3)


def test_a_cancel_in_a_pause_ends_the_motion(bench: Bench) -> None:
    token = CancelToken()
    motion = bench.moving(token)
    bench.scale(0.0)
    until(lambda: bench.speed() < 0.005)
    token.cancel('a test')
    assert isinstance(ended(*motion), Cancelled)


def test_while_it_is_paused_the_gripper_does_not_start(bench: Bench) -> None:
    bench.scale(0.0)
    results: list[CommandResult] = []
    thread = threading.Thread(target=lambda: results.append(
        bench.robot.move_gripper(0.03, Context())))
    thread.start()
    before = bench.sim.world.time
    until(lambda: bench.sim.world.time > before + 0.3)
    assert not results and bench.robot.state().gripper_width > 0.05
    bench.scale(1.0)
    assert ended(thread, results).success


@pytest.mark.parametrize(('value', 'said'), [
    (float('nan'), 'paused: speed_scale is nan, not from 0 to 1'),
    (50.0, 'paused: speed_scale is 50, not from 0 to 1'),
    (-0.1, 'paused: speed_scale is -0.1, not from 0 to 1'),
    (0.3, 'slowed: speed_scale is 0.3'), (1.0, '')])
def test_what_is_not_from_0_to_1_pauses_and_is_told(bench: Bench, value: float,
                                                    said: str) -> None:
    bench.scale(value)
    assert bench.pace.said == said


def test_silence_pauses_if_a_timeout_is_set(bench: Bench) -> None:
    bench.pace._timeout_s = 0.05
    until(lambda: bench.pace.now == 0)
    assert 'is silent (limit 0.05 s)' in bench.pace.said


def test_without_a_topic_nothing_is_silent(bench: Bench) -> None:
    pace = SpeedScale(bench.node, PANDA, replace(GIVEN, speed_scale='', speed_scale_timeout=0.05))
    assert (pace.now, pace.said) == (1.0, '')


def test_what_someone_else_cancels_is_not_sent_again_also_if_the_scale_falls_then(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, call = bench.robot, bench.robot._arm.call

    def cancelled(*given: Any) -> Any:
        answer = call(*given)
        bench.sent.append(answer.status)
        bench.scale(0.5)
        assert bench.pace.look()
        return answer

    monkeypatch.setattr(robot._arm, 'call', cancelled)
    motion = bench.moving()
    end_all(robot._cancel_all, robot._feed, WAIT_S)
    result = ended(*motion)
    assert not result.success and 'someone else cancelled the motion' in result.detail
    assert bench.sent == [GoalStatus.STATUS_CANCELED]
    assert abs(robot.state().joints[0] - bench.goal[0]) > UNDER_WAY_RAD


def test_a_foreign_cancel_just_before_that_of_the_pacing_ends_the_motion(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, cancel = bench.robot, bench.robot._arm._cancel

    def late(*given: Any) -> Any:
        end_all(robot._cancel_all, robot._feed, WAIT_S)
        return cancel(*given)

    monkeypatch.setattr(robot._arm, '_cancel', late)
    motion = bench.moving()
    bench.scale(0.25)
    result = ended(*motion)
    assert not result.success and 'someone else cancelled the motion' in result.detail
    assert abs(robot.state().joints[0] - bench.goal[0]) > UNDER_WAY_RAD


def test_in_a_pause_a_foreign_cancel_finds_no_goal_and_stop_ends_the_motion(bench: Bench) -> None:
    robot = bench.robot
    motion = bench.moving()
    bench.scale(0.0)
    until(lambda: bench.speed() < 0.005 and not robot.commanding)
    answers = robot._cancel_all()
    until(lambda: all(answer.done() for answer in answers))
    assert answers and not any(answer.result().goals_canceling for answer in answers)
    assert not motion[1], 'nobody tells us of it'
    here = robot.state().joints.copy()
    robot.refusal = lambda: 'stopped: a test'  # as the latch says after `stop`
    result = ended(*motion)
    bench.scale(1.0)
    assert result.reason is Reason.STOPPED and np.allclose(robot.state().joints, here, atol=2e-3)


def test_a_driver_that_slows_by_itself_is_waited_for_and_told(bench: Bench) -> None:
    def heard() -> bool:
        bench.drive(Float64(data=5.0))
        return bench.pace.of_driver == 0.05

    until(heard)
    assert bench.pace.said == 'slowed by the driver: 5 %'
    feed = bench.robot._feed
    late = bench.robot._overdue(1.0)
    feed.stamp += 60.0  # at 5 % that is 3 s of the motion
    assert late() == ''
    bench.pace.of_driver = 1.0
    feed.stamp += 60.0
    assert 'not over' in late()


def test_without_the_package_a_speed_scale_is_refused_and_named(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, 'installed', lambda group: ())
    with pytest.raises(ConfigError, match='replan_agent_pace'):
        pacing(bench.node, PANDA, GIVEN)
