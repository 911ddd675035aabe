# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm of six joints with a hand of links, in front of a stand-in for a UR's drivers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from replan_agent_arms.service_stops import ServiceStops
from replan_agent_arms.sidecar_ros import Service
from rig import WAIT_S, until
from small_ur import small_ur
from std_msgs.msg import Int8
from ur_stand_in import (
    CONTROLLER,
    EMERGENCY_STOP,
    JOINTS,
    KNUCKLE,
    NORMAL,
    PROTECTIVE_STOP,
    RESEND,
    TRIGGERS,
    UNLOCK,
    UrStandIn,
)

from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.motion.timing import time_joint_move
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PATIENT = ArmInterfaces(server_timeout=20.0, driver_silence=30.0, standstill_timeout=20.0)


@pytest.fixture(scope='module')
def arm(tmp_path_factory: pytest.TempPathFactory) -> ArmModel:
    return arm_named(str(small_ur(tmp_path_factory.mktemp('arm'))))


class Bench:
    def __init__(self, ros: Any, arm: ArmModel) -> None:
        self.arm, self.driver = arm, UrStandIn(arm.home)
        self.node = ros.create_node('commander')
        self.robot = RosControlRobot(self.node, arm, interfaces=PATIENT)
        self.hasty = RosControlRobot(self.node, arm, interfaces=replace(
            PATIENT, standstill_timeout=3.0))

    def motion(self, angle: float = 0.3) -> Any:
        start = self.driver.joints.copy()
        until(lambda: np.allclose(self.robot.state().joints, start))
        goal = start + np.array([angle, 0, 0, 0, 0, 0])
        return time_joint_move(start, goal, self.robot.limits, 0.1, 0.1)


@pytest.fixture(scope='module')
def shared(ros: Any, arm: ArmModel) -> Iterator[Bench]:
    made = Bench(ros, arm)
    with Spinning([made.driver, made.node]):
        yield made


@pytest.fixture
def bench(shared: Bench) -> Bench:
    driver = shared.driver
    driver.protective_stop = driver.deaf = False
    driver.active, driver.refused, driver.speed, driver.blocked = True, '', 0.0, 9.0
    driver.called.clear()
    driver.goals.clear()
    driver.moving.clear()
    shared.robot.errors.stop = None
    return shared


def test_a_motion_goes_to_the_controller_and_the_joints_of_the_driver(bench: Bench) -> None:
    assert bench.robot.execute(bench.motion(), Context()).success
    assert tuple(bench.driver.goals[-1].joint_names) == JOINTS
    assert bench.arm.ros.trajectory_action == f'{CONTROLLER}/follow_joint_trajectory'


@pytest.mark.parametrize('share', [0.0, 0.3, 1.0])
def test_a_width_goes_to_the_hand_as_an_angle_and_comes_back_as_a_width(bench: Bench,
                                                                        share: float) -> None:
    width = share * bench.arm.hand.max_width_m
    assert bench.robot.move_gripper(width, Context()).success
    goal = bench.driver.goals[-1]
    assert goal.name == [KNUCKLE]
    assert goal.position[0] == pytest.approx(bench.arm.gripper.commanded(width))
    assert bench.robot.state().gripper_width == pytest.approx(width, abs=1e-4)


def test_a_grasp_ends_where_the_fingers_stall(bench: Bench) -> None:
    width = bench.arm.hand.max_width_m / 2
    assert bench.robot.move_gripper(bench.arm.hand.max_width_m, Context()).success
    bench.driver.blocked = bench.arm.gripper.commanded(width)
    assert bench.robot.grasp(30.0, Context()).success
    assert list(bench.driver.goals[-1].effort) == [30.0]
    assert bench.robot.state().gripper_width == pytest.approx(width, abs=1e-4)


def test_an_arm_without_external_torques_moves_and_says_once_that_it_feels_nothing(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(bench.robot._touch, '_log', type('Log', (), {'warning': said.append}))
    for angle in (0.1, -0.1):
        assert bench.robot.execute(bench.motion(angle), Context(), ContactGuard(10.0)).success
    assert len(said) == 1 and 'does not feel contacts' in said[0]


def test_after_a_protective_stop_the_services_of_the_sidecar_clear_it_in_their_order(
        bench: Bench) -> None:
    bench.driver.protective_stop = True
    ended = bench.robot.execute(bench.motion(), Context())
    assert not ended.success and 'deactivated' in ended.detail
    assert ended.cause is Cause.CONTROLLER_ERROR
    again = bench.robot.execute(bench.motion(), Context())
    assert not again.success and 'recover_error' in again.detail
    assert bench.robot.errors.recover(Context().within(WAIT_S)) == ''
    assert bench.driver.called == list(TRIGGERS[:3])
    assert bench.robot.execute(bench.motion(), Context()).success


def told(bench: Bench, number: int) -> None:
    bench.driver.safety.publish(Int8(data=number))
    until(lambda: (bench.robot.errors.stop is None) == (number == NORMAL))


def test_a_protective_stop_while_the_arm_rests_is_told_before_anything_moves(bench: Bench) -> None:
    motion = bench.motion()
    told(bench, PROTECTIVE_STOP)
    ended = bench.robot.execute(motion, Context())
    assert not ended.success and 'protective stop' in ended.detail and not bench.driver.goals
    assert bench.robot.errors.recover(Context().within(WAIT_S)) == ''
    assert UNLOCK in bench.driver.called
    told(bench, NORMAL)
    assert bench.robot.execute(motion, Context()).success


def test_only_a_person_releases_an_emergency_stop(bench: Bench) -> None:
    told(bench, EMERGENCY_STOP)
    assert 'emergency stop: release it first' in bench.robot.errors.recover(Context())
    assert not bench.driver.called
    told(bench, NORMAL)
    assert bench.robot.errors.stop is None


def test_a_service_that_refuses_ends_the_recovery_with_its_words(bench: Bench) -> None:
    bench.driver.protective_stop, bench.driver.refused = True, UNLOCK
    bench.robot.execute(bench.motion(), Context())
    assert bench.robot.errors.recover(Context().within(WAIT_S)) == (
        f'{UNLOCK} failed: success is False: not now')
    assert RESEND not in bench.driver.called and bench.robot.errors.stop is not None


def test_an_arm_that_no_cancel_stops_gets_the_stop_of_its_driver(bench: Bench) -> None:
    bench.driver.deaf = True
    motion, said = bench.motion(), list[str]()

    def stop() -> None:
        assert bench.driver.moving.wait(WAIT_S)
        with pytest.raises(NoStandstill) as raised:
            bench.hasty.stop()
        said.append(str(raised.value))

    asked = threading.Thread(target=stop)
    asked.start()
    assert not bench.hasty.execute(motion, Context()).success
    asked.join(WAIT_S)
    assert 'dashboard_client/stop was called to stop it' in said[0]
    until(lambda: 'dashboard_client/stop' in bench.driver.called)


def with_recovery(bench: Bench, *services: Service) -> ServiceStops:
    arm = replace(bench.arm, ros=replace(bench.arm.ros, recover=services))
    return ServiceStops(bench.node, arm, PATIENT, Timeouts(appear_timeout=WAIT_S))


def test_a_service_of_another_type_gets_its_request(bench: Bench) -> None:
    stops = with_recovery(bench, Service('enable', 'std_srvs/SetBool', {'data': True}))
    assert stops.recover(Context().within(WAIT_S)) == ''
    assert bench.driver.called == ['enable True']


@pytest.mark.parametrize(('service', 'said'), [
    (Service('enable', 'std_srvs/SetBool', {'date': True}), "has no field 'date'; it has: data"),
    (Service('enable', 'std_srvs/SetBool', None, {'ret': 0}), "has no field 'ret'; it has: succ"),
    (Service('enable', 'std_srvs/SetBool', {'data': 'false'}), "data is a boolean, not 'false'"),
    (Service('enable', 'std_srvs/SetBool', {'data': 1}), 'data is a boolean, not 1'),
    (Service('enable', 'std_srvs/SetBool', None, {'success': '0'}), "success is a boolean, not '"),
    (Service('enable', 'std_srvs/Sett'), 'std_srvs has no service type Sett')])
def test_a_service_that_does_not_fit_its_type_is_refused(bench: Bench, service: Service,
                                                         said: str) -> None:
    with pytest.raises(ConfigError, match=f'small_ur: ros.recover: enable: .*{said}'):
        with_recovery(bench, service)


def test_without_the_package_of_a_service_the_arm_starts_and_recovery_names_it(
        bench: Bench) -> None:
    stops = with_recovery(bench, Service('clean', 'no_such_msgs/Call'))
    assert 'no_such_msgs/Call is not installed' in stops.recover(Context())
