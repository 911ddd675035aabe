# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot on the protocols of a real Franka, which fake_driver.py speaks."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from action_msgs.srv import CancelGoal
from driver_bench import NAMES
from driver_bench import DriverBench as Bench
from fake_driver import CONTROLLERS, DEACTIVATED, Codes, FakeDriver
from franka_msgs.msg import FrankaRobotState
from lifecycle_msgs.msg import State
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rig import until

from replan_agent.app.build import plugins
from replan_agent.arms.franka import FR3
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.arm.self_stops import SelfStop, SelfStops
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.node_process import Spinning

PARALLEL = replace(NAMES, gripper_driver='parallel_gripper',
                   gripper_action='parallel_gripper/gripper_cmd')

STUCK = 'stuck_controller/follow_joint_trajectory'  # its controller answers late


@pytest.fixture(scope='module')
def shared(ros: Any) -> Iterator[Bench]:
    driver, node = FakeDriver(), ros.create_node('commander')
    kinds = {'franka': NAMES, 'parallel': PARALLEL,
             'command': replace(NAMES, gripper_driver='gripper_command'),
             'hasty': replace(NAMES, standstill_timeout=3.0, server_timeout=5.0),
             'stuck': replace(NAMES, trajectory_action=STUCK, standstill_timeout=3.0),
             'patient': replace(NAMES, trajectory_action=STUCK, standstill_timeout=60.0),
             'deaf': replace(NAMES, external_torques='nowhere', server_timeout=5.0)}
    robots = {name: RosControlRobot(node, FR3, interfaces=given)
              for name, given in kinds.items()}
    unstick = threading.Event()

    def answer(_: Any, response: CancelGoal.Response) -> CancelGoal.Response:
        unstick.wait()
        return response

    driver.create_service(CancelGoal, f'{STUCK}/_action/cancel_goal', answer,
                          callback_group=MutuallyExclusiveCallbackGroup())
    with Spinning([driver, node]):
        made = Bench(driver, robots)
        made.unstick = unstick
        yield made
        unstick.set()


@pytest.fixture
def bench(shared: Bench) -> Iterator[Bench]:
    driver, robot = shared.driver, shared.robot
    yield shared
    driver.hold, driver.ending, driver.drift = False, None, 0.0
    driver.telling = driver.telling_fingers = driver.telling_speed = True
    driver.accepting.set()
    driver.on_list = lambda: None
    driver.errors, driver.mode = (), FrankaRobotState.ROBOT_MODE_IDLE
    driver.controllers = dict.fromkeys(CONTROLLERS, 'active')
    driver.hardware = State.PRIMARY_STATE_ACTIVE
    driver.width, driver.object_m, driver.recoveries = 0.08, 0.0, 0
    driver.gripper_error = ''
    driver.goals.clear()
    robot.may_recover, robot.on_self_stop = False, lambda why: None
    robot.forbidden, robot.refusal = lambda trajectory: '', lambda: ''
    until(lambda: all(r.errors.stop is None and r.state_age_s < 0.5
                      for r in shared.robots.values()))


@pytest.mark.parametrize('names', [ArmInterfaces(gripper_driver='franka'),
                                   ArmInterfaces(franka_state='robot_state')])
def test_without_the_package_of_its_driver_an_arm_is_refused_and_the_package_is_named(
        shared: Bench, names: ArmInterfaces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, 'installed', lambda group: ())
    with pytest.raises(ConfigError, match="'franka' is in the package replan_agent_franka"):
        RosControlRobot(shared.driver, FR3, interfaces=names)


def test_a_motion_is_sent_with_its_tolerances(bench: Bench) -> None:
    assert bench.execute().success
    goal = bench.driver.goals[-1]
    names = list(bench.robot.limits.names)
    assert [t.name for t in goal.path_tolerance] == names
    assert {t.position for t in goal.path_tolerance} == {NAMES.path_tolerance}
    assert [t.name for t in goal.goal_tolerance] == names
    assert {t.position for t in goal.goal_tolerance} == {NAMES.goal_tolerance}
    assert goal.goal_time_tolerance.sec == 2


def test_a_silent_stop_of_the_arm_after_a_felt_contact_is_a_collision(bench: Bench) -> None:
    answer = SimpleNamespace(result=SimpleNamespace(
        error_string=DEACTIVATED[1], error_code=DEACTIVATED[0]))
    ended = bench.robot._stopped_itself(answer, 'felt 12 N·m on joint 2')
    assert ended.reason is Reason.IN_COLLISION and ended.contact
    assert ended.detail.startswith('felt 12 N·m on joint 2; ')


@pytest.mark.parametrize(('code', 'name'), [
    (Codes.INVALID_GOAL, 'INVALID_GOAL'), (Codes.INVALID_JOINTS, 'INVALID_JOINTS'),
    (Codes.OLD_HEADER_TIMESTAMP, 'OLD_HEADER_TIMESTAMP'),
    (Codes.PATH_TOLERANCE_VIOLATED, 'PATH_TOLERANCE_VIOLATED'),
    (Codes.GOAL_TOLERANCE_VIOLATED, 'GOAL_TOLERANCE_VIOLATED'), (-77, 'error'),
])
def test_an_abort_has_the_controllers_code_and_text(bench: Bench, code: int, name: str) -> None:
    bench.driver.ending = (code, 'Aborted for a test')
    result = bench.execute()
    assert result.reason is Reason.CONTROLLER_ABORTED and not result.success
    assert f'{name} ({code}): Aborted for a test' in result.detail


def test_a_motion_that_starts_elsewhere_is_never_sent(bench: Bench) -> None:
    trajectory = bench.motion()
    bench.driver.joints = bench.driver.joints + 0.05  # someone moved the arm after planning
    until(lambda: abs(bench.robot.state().joints[0] - bench.driver.joints[0]) < 1e-6)
    result = bench.robot.execute(trajectory, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED and '0.050 rad' in result.detail
    assert not bench.driver.goals


def test_a_motion_above_a_speed_limit_is_never_sent(bench: Bench) -> None:
    planned = bench.motion()
    factor = 1.01 / float(np.max(np.abs(planned.velocities) / bench.robot.limits.velocity))
    hurried = replace(planned, times=planned.times / factor,
                      velocities=planned.velocities * factor)
    result = bench.robot.execute(hurried, Context())
    assert result.cause is Cause.TRAJECTORY_REFUSED and 'velocity of fr3_joint' in result.detail
    assert not bench.driver.goals


@pytest.mark.parametrize(('controllers', 'words'), [
    ({'fr3_arm_controller': 'inactive'}, 'fr3_arm_controller is inactive, not active'),
    ({'other': 'active'}, 'no controller fr3_arm_controller is loaded; there are: other'),
])
def test_an_inactive_controller_is_not_commanded(bench: Bench, controllers: dict[str, str],
                                                 words: str) -> None:
    bench.driver.controllers = controllers
    result = bench.execute()
    assert result.reason is Reason.CONTROLLER_ABORTED and words in result.detail
    assert not bench.driver.goals


def test_what_is_forbidden_is_never_sent(bench: Bench) -> None:
    bench.robot.forbidden = lambda trajectory: 'the tool would leave the workspace'
    result = bench.execute()
    assert result.reason is Reason.WORKSPACE_VIOLATION and 'leave' in result.detail
    assert not bench.driver.goals


def test_stop_returns_at_standstill_and_the_motion_says_so(bench: Bench) -> None:
    speeds: list[float] = []

    def stop() -> None:
        until(lambda: bench.robot.state().velocities.max() > 0.1)
        bench.robot.stop()
        speeds.append(bench.driver.speed)

    thread = bench.while_it_moves(stop)
    result = bench.execute()
    thread.join()
    assert result.reason is Reason.STOPPED and speeds == [0.0]


def test_after_a_stop_that_comes_while_the_arm_is_checked_nothing_is_sent(bench: Bench) -> None:
    stopping = threading.Thread(target=bench.robot.stop)

    def stop() -> None:
        stopping.start()
        until(bench.robot._stop_asked.is_set)

    bench.driver.on_list = stop
    result = bench.execute()
    stopping.join()
    assert result.reason is Reason.STOPPED and not bench.driver.goals


def test_after_a_deactivation_while_the_arm_is_checked_nothing_is_sent(bench: Bench) -> None:
    bench.driver.on_list = lambda: setattr(bench.robot, 'refusal', lambda: 'deactivated')
    result = bench.execute()
    assert (result.reason, result.detail) == (Reason.STOPPED, 'deactivated')
    assert not bench.driver.goals


def test_after_a_cancel_while_the_arm_is_checked_nothing_is_sent(bench: Bench) -> None:
    token = CancelToken()
    bench.driver.on_list = token.cancel
    with pytest.raises(Cancelled):
        bench.robot.execute(bench.motion(), Context(token))
    assert not bench.driver.goals


def test_a_resting_arm_counts_as_stopped_only_if_the_controller_heard_the_cancel(
        bench: Bench) -> None:
    """It may still have to look at a goal of a node that died."""
    with pytest.raises(NoStandstill, match='did not confirm the cancel'):
        bench.robots['stuck'].stop()
    bench.unstick.set()
    bench.robots['patient'].stop()


def test_without_joint_states_standstill_is_not_confirmed(bench: Bench) -> None:
    bench.driver.telling = False
    until(lambda: bench.robot.state_age_s > 0.3)  # none is on its way any more
    with pytest.raises(NoStandstill, match=r'franka/joint_states within 3 s'):
        bench.robots['hasty'].stop()


def test_a_reflex_is_named_and_reported_at_once(bench: Bench) -> None:
    reported: list[str] = []
    bench.robot.on_self_stop = reported.append

    def collide() -> None:
        bench.driver.errors = ('cartesian_reflex',)
        bench.driver.mode = FrankaRobotState.ROBOT_MODE_REFLEX

    thread = bench.while_it_moves(collide)
    result = bench.execute()
    thread.join()
    assert result.reason is Reason.IN_COLLISION and result.contact
    assert 'cartesian_reflex' in result.detail
    assert len(reported) == 1 and 'cartesian_reflex' in reported[0]
    again = bench.execute()
    assert again.reason is Reason.STOPPED and 'recover_error' in again.detail
    assert bench.driver.recoveries == 0, 'no recovery is allowed'


def test_a_deactivated_controller_is_a_stop_of_the_arm(bench: Bench) -> None:
    reported: list[str] = []
    bench.robot.on_self_stop = reported.append
    bench.driver.ending = (Codes.INVALID_GOAL,
                           'Current goal cancelled during deactivate transition.')
    result = bench.execute()
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert 'deactivated' in result.detail
    assert 'INVALID_GOAL (-1)' in result.detail
    assert reported, 'it must be latched'


def test_an_error_is_cleared_before_the_next_motion_only_if_allowed(
        bench: Bench) -> None:
    bench.driver.errors = ('joint_velocity_violation',)
    until(lambda: bench.robot.errors.stop is not None)
    refused = bench.execute()
    assert refused.reason is Reason.STOPPED and 'joint_velocity_violation' in refused.detail
    bench.robot.may_recover = True
    assert bench.execute().success
    assert bench.driver.recoveries == 1


def test_a_user_stop_is_never_cleared_by_us(bench: Bench) -> None:
    bench.driver.mode = FrankaRobotState.ROBOT_MODE_USER_STOPPED
    until(lambda: bench.robot.errors.stop is not None)
    bench.robot.may_recover = True
    result = bench.execute()
    assert result.reason is Reason.STOPPED and 'user stop' in result.detail
    assert bench.driver.recoveries == 0
    assert 'release it first' in bench.robot.errors.recover(Context())


def test_what_the_driver_does_not_tell_is_not_cleared_without_a_person(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be the user stop."""
    recovered: list[Context] = []
    latched: list[str] = []
    errors = SelfStops()
    errors.recover = recovered.append
    errors.stop = SelfStop(Reason.CONTROLLER_ABORTED, 'it stopped itself', known=False)
    with monkeypatch.context() as now:
        now.setattr(bench.robot, 'errors', errors)
        now.setattr(bench.robot, 'may_recover', True)
        now.setattr(bench.robot, 'on_self_stop', latched.append)
        assert 'it stopped itself' in bench.execute().detail
    assert not recovered and 'only a person' in latched[0]


@pytest.mark.parametrize('pressed', [True, False])
def test_a_button_in_a_motion_is_latched_also_if_errors_may_be_cleared(
        bench: Bench, pressed: bool) -> None:
    """After its release nothing moves before a person has called reset_stop."""
    latched: list[str] = []
    bench.robot.may_recover, bench.robot.on_self_stop = True, latched.append

    def stop() -> None:
        if pressed:
            bench.driver.mode = FrankaRobotState.ROBOT_MODE_USER_STOPPED
        else:
            bench.driver.errors = ('cartesian_reflex',)

    thread = bench.while_it_moves(stop)
    assert not bench.execute().success
    thread.join()
    assert bool(latched) is pressed


@pytest.mark.parametrize('kind', ['franka', 'parallel', 'command'])
def test_every_gripper_goes_to_a_width(bench: Bench, kind: str) -> None:
    robot = bench.robots[kind]
    for width in (0.03, 0.06):
        assert robot.move_gripper(width, Context()).success
        assert bench.driver.width == pytest.approx(width)
    bench.driver.object_m = 0.05
    result = robot.move_gripper(0.02, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert re.findall(r'[\d.]+ mm', result.detail) == ['50.0 mm', '30.0 mm', '20.0 mm']


@pytest.mark.parametrize('kind', ['franka', 'parallel'])
def test_fingers_that_stop_on_something_are_blocked(bench: Bench, kind: str) -> None:
    bench.driver.object_m = 0.05
    assert bench.robots[kind].move_gripper(0.02, Context()).cause is Cause.GRIPPER_BLOCKED


@pytest.mark.parametrize('kind', ['franka', 'parallel', 'command'])
def test_a_gripper_driver_that_fails_is_an_error_and_nothing_blocks(bench: Bench,
                                                                    kind: str) -> None:
    bench.driver.gripper_error = 'libfranka gripper: Command aborted!'
    assert bench.robots[kind].move_gripper(0.02, Context()).cause is Cause.CONTROLLER_ERROR


@pytest.mark.parametrize('kind', ['franka', 'parallel'])
def test_a_grasp_ends_where_the_object_is(bench: Bench, kind: str) -> None:
    bench.driver.object_m = 0.04
    result = bench.robots[kind].grasp(20.0, Context())
    assert result.success and 'at 40.0 mm' in result.detail
    goal = bench.driver.goals[-1]
    assert (goal.force if kind == 'franka' else goal.command.effort[0]) == 20.0


def test_franka_gripper_over_gripper_command_reports_no_grasp_and_names_the_fix(
        bench: Bench) -> None:
    bench.driver.object_m = 0.04
    result = bench.robots['command'].grasp(20.0, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert '40.0 mm' in result.detail and 'gripper_driver' in result.detail


def test_only_frankas_gripper_can_be_homed(bench: Bench) -> None:
    bench.driver.width = 0.01
    assert bench.robot.home_gripper(Context()).success and bench.driver.width == 0.08
    refused = bench.robots['parallel'].home_gripper(Context())
    assert not refused.success and 'gripper_driver' in refused.detail


def test_a_cancelled_motion_ends_at_standstill(bench: Bench) -> None:
    token = CancelToken()
    thread = bench.while_it_moves(token.cancel)
    with pytest.raises(Exception, match='cancel'):
        bench.robot.execute(bench.motion(), Context(token))
    thread.join()
    assert bench.driver.speed == 0.0


def test_a_goal_that_is_accepted_after_we_gave_up_is_cancelled(bench: Bench) -> None:
    driver, before = bench.driver, bench.driver.cancelled
    driver.hold = True
    driver.accepting.clear()
    result = bench.robots['hasty'].execute(bench.motion(), Context())
    assert result.cause is Cause.CONTROLLER_ERROR and 'not answer' in result.detail
    assert not driver.goals
    driver.accepting.set()
    until(lambda: driver.cancelled > before)
    assert driver.speed == 0.0


def test_a_command_without_a_confirmed_end_is_reported(bench: Bench) -> None:
    robot, driver, reported = bench.robots['hasty'], bench.driver, []
    robot.on_lost, before = reported.append, driver.cancelled
    driver.hold = True
    driver.accepting.clear()
    motion = bench.motion()
    driver.speed = 0.3
    result = robot.execute(motion, Context())
    driver.accepting.set()
    until(lambda: driver.cancelled > before)
    assert 'no standstill' in result.detail
    assert len(reported) == 1 and 'no standstill' in reported[0]


def test_a_guarded_motion_does_not_start_if_contacts_cannot_be_felt(bench: Bench) -> None:
    result = bench.robots['deaf'].execute(bench.motion(), Context(), ContactGuard())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert "'nowhere'" in result.detail and not bench.driver.goals


def test_an_arm_that_drifts_without_sending_its_speed_does_not_stand_still(bench: Bench) -> None:
    bench.driver.telling_speed = False
    until(lambda: np.allclose(bench.robot.state().velocities, 0.0))  # from where it is, twice
    bench.driver.drift = 0.1
    until(lambda: abs(bench.robot.state().velocities[0]) > 0.01)
    with pytest.raises(NoStandstill):
        bench.robots['hasty'].stop()


def test_a_grasp_without_finger_states_fails(bench: Bench) -> None:
    bench.driver.telling_fingers = False
    result = bench.robot.grasp(40.0, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert 'franka_gripper/joint_states' in result.detail
