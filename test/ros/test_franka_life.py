# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""franka_ros2 as it is: fake hardware without a gripper, and a silent driver after a reflex."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_driver import ARM_CONTROLLER, CONTROLLERS, FakeDriver
from lifecycle_msgs.msg import State
from replan_agent_interfaces.action import ExecuteSkill
from rig import finished, until
from test_arm_guard import CONFIG, SEEN, Cell, Outside, has_heard, skill_node

from replan_agent.domain.plan import Step
from replan_agent.ros.arm.arm_interfaces import ON_FAKE_HARDWARE
from replan_agent.ros.messages.call_messages import skill_call_to_msg
from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.safety.stop_latch import StillStopped

Result = ExecuteSkill.Result


def test_on_fake_hardware_the_nodes_get_ready_the_arm_moves_and_the_gripper_is_told_missing(
        ros: Any, tmp_path: Path) -> None:
    driver, outside = FakeDriver(fake_hardware=True), Outside()
    skills = skill_node(tmp_path, **ON_FAKE_HARDWARE)
    guard = GuardNode(cli_args=['--ros-args', '--params-file', str(CONFIG / 'franka/names.yaml'),
                                '-p', 'robot.model:=fr3', *(word for name, value in
                                ON_FAKE_HARDWARE.items() for word in ('-p', f'{name}:={value}'))])
    driver.joints = driver.joints + 0.1
    with Spinning([driver, outside, skills, guard]):
        until(lambda: skills.missing() == '' and guard.missing() == '')
        until(lambda: has_heard(skills, driver))
        assert finished(outside.execute()).result.error_code == Result.NONE
        assert np.allclose(driver.joints, skills._robot.home, atol=1e-3)
        opened = finished(outside.execute(Step(2, 'open_gripper'))).result
    assert opened.error_code == Result.CONTROLLER_ABORTED
    assert 'there is no gripper' in opened.error_msg


@pytest.fixture
def franka(ros: Any, tmp_path: Path) -> Any:
    made = Cell(tmp_path, standstill_timeout=2.0, driver_silence=1.0)
    with Spinning([made.driver, made.outside, made.skills]):
        yield made
        made.driver.hold = False


def recovered(cell: Cell) -> None:
    assert cell.driver.hardware == State.PRIMARY_STATE_ACTIVE
    assert cell.driver.controllers == dict.fromkeys(CONTROLLERS, 'active')
    released = cell.outside.trigger('reset_stop')
    assert released.success, released.message
    cell.driver.hold = False
    assert finished(cell.outside.execute()).result.error_code == Result.NONE


def test_after_a_reflex_in_a_motion_the_silent_driver_is_recovered_in_its_order(
        franka: Cell) -> None:
    answer = franka.motion_under_way()
    goals = len(franka.driver.goals)
    franka.driver.reflex('cartesian_reflex')
    ended = finished(answer).result
    assert ended.error_code == Result.CONTROLLER_ABORTED, 'nothing was felt, and nobody tells'
    assert 'stopped itself' in ended.error_msg or 'stops itself' in ended.error_msg
    until(lambda: franka.skills._latch.stopped)
    refused = franka.outside.trigger('reset_stop')
    assert not refused.success and StillStopped.ARM_ERROR.value in refused.message
    cleared = franka.outside.trigger('recover_error')
    assert cleared.success, cleared.message
    assert len(franka.driver.goals) == goals, 'nothing of the old goal moves'
    recovered(franka)


def test_a_reflex_of_a_resting_arm_is_noticed_from_its_silent_driver(franka: Cell) -> None:
    errors = franka.skills._robot.errors
    until(lambda: has_heard(franka.skills, franka.driver))
    until(lambda: errors._calm.is_set())
    franka.driver.reflex('joint_reflex')
    stop = until(lambda: errors.stop)
    assert 'FrankaHardwareInterface is' in stop.sentence
    refused = finished(franka.outside.execute()).result
    assert not refused.result.success and 'recover_error' in refused.error_msg
    assert franka.outside.trigger('recover_error').success
    assert errors._last_errors == ['joint_reflex'], 'the state tells it afterwards'
    recovered(franka)


def test_a_recovery_that_stays_half_done_names_the_command_for_the_rest(franka: Cell) -> None:
    until(lambda: has_heard(franka.skills, franka.driver))
    franka.driver.reflex('joint_reflex')
    franka.driver.switching = False
    until(lambda: franka.skills._robot.errors.stop)
    refused = franka.outside.trigger('recover_error')
    assert not refused.success and ARM_CONTROLLER in refused.message
    assert 'ros2 control switch_controllers --activate' in refused.message
    franka.driver.switching = True
    assert franka.outside.trigger('recover_error').success
    recovered(franka)


@pytest.fixture
def allowed(ros: Any, tmp_path: Path) -> Any:
    """The same cell, with errors that are cleared without a person."""
    made = Cell(tmp_path, standstill_timeout=2.0, driver_silence=1.0,
                **{'safety.allow_error_recovery': True})
    with Spinning([made.driver, made.outside, made.skills]):
        until(lambda: has_heard(made.skills, made.driver))
        until(lambda: made.skills._robot.errors._calm.is_set())
        yield made
        made.driver.hold = False


def sent(cell: Cell) -> Any:
    return finished(cell.outside.execute()).result


def test_a_reflex_of_a_resting_arm_is_cleared_before_the_next_motion_if_that_is_allowed(
        allowed: Cell) -> None:
    errors = allowed.skills._robot.errors
    allowed.driver.reflex('joint_reflex')
    until(lambda: errors.stop)
    assert sent(allowed).error_code == Result.NONE
    assert allowed.driver.recoveries == 1 and not allowed.skills._latch.latched

    allowed.driver.reflex('joint_reflex')  # what it names now may be the one from before
    until(lambda: errors.stop)
    refused = sent(allowed)
    assert not refused.result.success and 'no new reflex (joint_reflex)' in refused.error_msg
    assert allowed.outside.trigger('reset_stop').success
    assert sent(allowed).error_code == Result.NONE


@pytest.mark.parametrize('released', [True, False])
def test_a_user_stop_is_never_cleared_for_the_next_motion_also_if_it_is_silent(
        allowed: Cell, released: bool) -> None:
    allowed.driver.user_stop(pressed=True)
    until(lambda: allowed.skills._robot.errors.stop)
    if released:
        allowed.driver.user_stop(pressed=False)
    goals = len(allowed.driver.goals)
    refused = sent(allowed)
    assert refused.error_code == Result.STOPPED and len(allowed.driver.goals) == goals
    said = 'may have been the user stop' if released else 'did not clear its errors'
    assert said in refused.error_msg and allowed.skills._latch.latched
    if not released:
        allowed.driver.user_stop(pressed=False)
        assert not sent(allowed).result.success, 'a release of the button moves nothing'
        assert allowed.outside.trigger('recover_error').success
    recovered(allowed)


def test_an_error_that_is_no_reflex_waits_for_a_person(allowed: Cell) -> None:
    allowed.driver.reflex('communication_constraints_violation')
    until(lambda: allowed.skills._robot.errors.stop)
    assert 'communication_constraints_violation' in sent(allowed).error_msg
    assert allowed.skills._latch.latched
    recovered(allowed)


def test_a_reflex_in_a_motion_waits_for_a_person_because_nobody_tells_that_the_arm_rests(
        allowed: Cell) -> None:
    answer = allowed.motion_under_way()
    goals = len(allowed.driver.goals)
    allowed.driver.reflex('cartesian_reflex')
    assert not finished(answer).result.result.success
    until(lambda: allowed.skills._latch.latched)
    assert not sent(allowed).result.success
    assert allowed.driver.recoveries == 0 and len(allowed.driver.goals) == goals
    assert allowed.outside.trigger('recover_error').success
    recovered(allowed)


def test_nothing_is_cleared_for_a_motion_that_is_refused_or_only_imagined(allowed: Cell) -> None:
    allowed.driver.reflex('joint_reflex')
    until(lambda: allowed.skills._robot.errors.stop)
    outdated = allowed.skills._latch.permit ^ 1  # of a task from before a stop
    for more in ({'plan_only': True}, {'permit': outdated}):
        goal = skill_call_to_msg(Step(1, 'home'), SEEN, **more)
        finished(finished(allowed.outside._skills.send_goal_async(goal)).get_result_async())
    allowed.skills._active = False
    assert 'not active' in sent(allowed).error_msg
    allowed.skills._active = True
    allowed.outside.trigger('stop')
    assert not sent(allowed).result.success
    assert allowed.driver.recoveries == 0
