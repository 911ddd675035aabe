"""The answers of grippers of stepped simulators."""

from __future__ import annotations

from replan_agent.domain.skill import Reason
from replan_agent.robot.fingers import drive, grasped


def test_fingers_that_never_stand_still_have_missed_the_object_and_are_no_fault_of_the_hand():
    widths = iter(range(10_000))
    stopped = drive(lambda: True, lambda: 0.001 * next(widths), 0.01, 0.08, lambda: None)
    result = grasped(stopped, 0.0031, 5.0)
    assert stopped is False and not result.success
    assert result.reason is Reason.GRASP_MISSED and result.cause is None
    assert '3.1 mm' in result.detail


def test_fingers_that_stop_have_closed():
    assert grasped(drive(lambda: True, lambda: 0.03, 0.01, 0.08, lambda: None), 0.03, 5.0).success
