# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When others fall silent: the watchdog, and drivers that do not answer. Never a hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from arm_bench import ArmBench
from control_msgs.action import FollowJointTrajectory
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.msg import Heartbeat
from rig import WAIT_S
from sensor_msgs.msg import JointState

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.skill import Reason
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.stepped_robot import STANDSTILL
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.joint_states import RobotSilent
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import HEARTBEAT
from replan_agent.ros.rclpy_tools.waiting import every
from replan_agent.ros.safety.stop_latch import StopReason

HASTY = ArmInterfaces(server_timeout=5.0, driver_silence=30.0, standstill_timeout=2.0)


class Heart:
    """Beats until a test stops it."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(Heartbeat, 'heartbeat', HEARTBEAT)
        self.beating = True
        every(node, 0.05, self._beat)

    def _beat(self) -> None:
        if self.beating:
            self._publisher.publish(Heartbeat())


class Diagnostics:
    """The last status of the stop latch."""

    def __init__(self, node: Node) -> None:
        self._news = threading.Condition()
        self._last = DiagnosticStatus()
        node.create_subscription(DiagnosticArray, '/diagnostics', self._keep, 10)

    def _keep(self, message: DiagnosticArray) -> None:
        with self._news:
            (self._last,) = message.status
            self._news.notify_all()

    def await_level(self, level: bytes) -> DiagnosticStatus:
        with self._news:
            assert self._news.wait_for(lambda: self._last.level == level and self._last.name,
                                       WAIT_S)
            return self._last


def told(status: DiagnosticStatus) -> dict[str, str]:
    return {pair.key: pair.value for pair in status.values}


@pytest.fixture
def watched(ros: Any) -> Iterator[ArmBench]:
    """An arm in real time with a watchdog that needs a heartbeat."""
    bench = ArmBench(ros, realtime_factor=1.0, sim_watchdog__heartbeat_timeout=5.0)
    yield bench
    bench.close()


def test_a_moving_arm_stops_when_the_heartbeat_goes_silent(watched: ArmBench) -> None:
    heart, latch = Heart(watched.node), Diagnostics(watched.node)
    assert watched.robot.execute(watched.turn(0.4), Context()).success
    allowed = told(latch.await_level(DiagnosticStatus.OK))
    assert (allowed['stopped'], allowed['reason']) == ('false', '')

    def fall_silent() -> None:
        heart.beating = False

    thread = watched.during_motion(fall_silent)
    result = watched.robot.execute(watched.turn(-2.0, 0.05), Context())
    thread.join()
    assert result.reason is Reason.STOPPED and 'heartbeat' in result.detail
    assert watched.speed() < STANDSTILL and watched.sim.latch.latched
    stopped = told(latch.await_level(DiagnosticStatus.ERROR))
    assert (stopped['stopped'], stopped['reason']) == ('true', StopReason.AGENT_SILENT.value)


class Driver(Node):
    """Sends joint states; accepts trajectories and answers only when a test allows it."""

    def __init__(self, serve: bool) -> None:
        super().__init__('driver')
        self.telling = True
        self.accepted, self.free = threading.Event(), threading.Event()
        self._publisher = self.create_publisher(JointState, 'joint_states', 1)
        every(self, 0.05, self._publish)
        if serve:
            self._server = ActionServer(
                self, FollowJointTrajectory, 'panda_arm_controller/follow_joint_trajectory',
                self._hang, callback_group=ReentrantCallbackGroup())

    def close(self) -> None:
        self.free.set()

    def _publish(self) -> None:
        if self.telling:
            names = [*PANDA.joint_names, 'panda_finger_joint1', 'panda_finger_joint2']
            self._publisher.publish(JointState(name=names, velocity=[0.0] * 9,
                                               position=[*franka.HOME, 0.04, 0.04]))

    def _hang(self, handle: Any) -> FollowJointTrajectory.Result:
        self.accepted.set()
        self.free.wait(WAIT_S)
        handle.abort()
        return FollowJointTrajectory.Result()


@pytest.fixture
def commander(ros: Any) -> Iterator[tuple[RosControlRobot, Any]]:
    """A robot, and how to start a driver for it."""
    node = ros.create_node('commander')
    robot = RosControlRobot(node, PANDA, interfaces=HASTY)
    spinning: list[Spinning] = []

    def start(*drivers: Node) -> None:
        spinning.append(Spinning([node, *drivers]))
        spinning[0].__enter__()

    yield robot, start
    spinning[0].__exit__()


def a_motion(robot: RosControlRobot) -> Any:
    goal = robot.home.copy()
    goal[0] = 1.0
    return time_joint_move(robot.home, goal, robot.limits, 0.1, 0.1)


def test_without_a_driver_the_failure_names_what_is_missing(commander: Any) -> None:
    robot, start = commander
    start()
    with pytest.raises(RobotSilent, match='no joint state of panda_joint1 .* on joint_states'):
        robot.state()
    result = robot.execute(a_motion(robot), Context())
    assert result.reason is Reason.CONTROLLER_ABORTED and 'within 5 s' in result.detail


def test_a_controller_that_is_not_there_is_named(commander: Any) -> None:
    robot, start = commander
    start(Driver(serve=False))
    began = time.monotonic()
    result = robot.execute(a_motion(robot), Context())
    assert time.monotonic() - began < WAIT_S
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert 'panda_arm_controller/follow_joint_trajectory' in result.detail
    assert 'waited 5 s' in result.detail


def test_a_driver_that_falls_silent_mid_motion_ends_the_motion(commander: Any) -> None:
    robot, start = commander
    driver = Driver(serve=True)
    start(driver)
    robot._arm.timeouts = replace(robot._arm.timeouts, silence_timeout=0.6)

    def die() -> None:
        assert driver.accepted.wait(WAIT_S)
        driver.telling = False

    thread = threading.Thread(target=die)
    thread.start()
    result = robot.execute(a_motion(robot), Context())
    thread.join()
    assert result.reason is Reason.CONTROLLER_ABORTED and 'fell silent' in result.detail


def test_a_cancel_that_the_driver_ignores_is_not_called_a_standstill(commander: Any) -> None:
    robot, start = commander
    driver, token = Driver(serve=True), CancelToken()
    start(driver)

    def cancel() -> None:
        assert driver.accepted.wait(WAIT_S)
        token.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    result = robot.execute(a_motion(robot), Context(token))
    thread.join()
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert 'did not end a cancelled goal' in result.detail


def test_a_cancelled_command_does_not_start(commander: Any) -> None:
    robot, start = commander
    start(Driver(serve=False))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        robot.execute(a_motion(robot), Context(token))
