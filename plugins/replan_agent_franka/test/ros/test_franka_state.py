# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a Franka's state says of its own stops; the robot with it is in test/ros of the core."""

from __future__ import annotations

from typing import Any

import pytest
from franka_msgs.msg import FrankaRobotState as State
from replan_agent_franka.franka_errors import stop_in_state
from replan_agent_franka.franka_gripper import FrankaGripper

from replan_agent.domain.cause import Cause
from replan_agent.domain.skill import Reason


def state(mode: int = State.ROBOT_MODE_IDLE, *errors: str) -> Any:
    made = State(robot_mode=mode)
    for name in errors:
        setattr(made.current_errors, name, True)
    return made


@pytest.mark.parametrize('mode, words', [(State.ROBOT_MODE_USER_STOPPED, 'user stop'),
                                         (State.ROBOT_MODE_GUIDING, 'guided by hand')])
def test_a_person_who_stops_or_guides_the_arm_must_let_go(mode: int, words: str) -> None:
    stop = stop_in_state(state(mode))
    assert stop and stop.reason is Reason.STOPPED and stop.cause is Cause.STOPPED
    assert words in stop.sentence and not stop.clearable


@pytest.mark.parametrize('errors, cause', [
    ((), Cause.UNEXPECTED_CONTACT), (('joint_reflex',), Cause.UNEXPECTED_CONTACT),
    (('joint_velocity_violation', 'cartesian_reflex'), Cause.UNEXPECTED_CONTACT),
    (('joint_velocity_violation',), Cause.CONTROLLER_ERROR)])
def test_a_reflex_is_a_contact_unless_its_errors_say_otherwise(errors: tuple[str, ...],
                                                               cause: Cause) -> None:
    stop = stop_in_state(state(State.ROBOT_MODE_REFLEX, *errors))
    assert stop and stop.cause is cause and stop.clearable
    assert all(name in stop.sentence for name in errors)


def test_an_arm_that_works_has_not_stopped() -> None:
    assert stop_in_state(state()) is None and stop_in_state(state(State.ROBOT_MODE_MOVE)) is None


def test_a_stop_ends_all_actions_of_the_gripper() -> None:
    assert FrankaGripper.actions('left/franka_gripper/gripper_action') == (
        'left/franka_gripper/move', 'left/franka_gripper/grasp', 'left/franka_gripper/homing')
