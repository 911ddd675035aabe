# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The answers of grippers of stepped simulators."""

from __future__ import annotations

import math

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.robot.fingers import Fingers, drive, grasped, moved


def answer(width_at) -> CommandResult:
    """The answer to a grasp with fingers of that width (m) at each period of 10 ms."""
    widths = (width_at(period) for period in range(10_000))
    fingers = drive(lambda: True, lambda: next(widths), 0.01, 0.08, lambda: None)
    assert isinstance(fingers, Fingers)
    return grasped(fingers, 0.0031, 5.0)


@pytest.mark.parametrize('width_at', [
    lambda n: 0.04 - 0.0001 * n,
    lambda n: 0.04 - 0.0001 * n + 0.002 * math.sin(n)])  # and they tremble
def test_what_slips_out_of_fingers_that_go_on_closing_is_missed(width_at):
    result = answer(width_at)
    assert not result.success and result.reason is Reason.GRASP_MISSED and result.cause is None
    assert '3.1 mm' in result.detail


@pytest.mark.parametrize('width_at', [
    lambda n: 0.03 + 0.002 * math.sin(0.7 * n), lambda n: 0.03 + 0.001 * (n % 2),
    lambda n: 0.03 + 0.0001 * n])
def test_fingers_that_move_to_and_fro_or_open_are_a_fault_of_the_hand(width_at):
    result = answer(width_at)
    assert result.reason is Reason.CONTROLLER_ABORTED and result.cause is Cause.CONTROLLER_ERROR


def test_fingers_that_stop_have_closed():
    assert answer(lambda n: 0.03).success


@pytest.mark.parametrize('wanted', [0.0343, 0.08])
def test_a_blocked_gripper_says_where_it_stopped_and_on_its_way_to_where(wanted):
    result = moved(0.0676, wanted, 0.001)
    assert result.cause is Cause.GRIPPER_BLOCKED
    assert result.detail.endswith(f'67.6 mm on its way to {1000 * wanted:.1f} mm')
