# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What creeps out of the pads falls seconds later: a pick waits until they stand still."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from replan_agent.domain.skill import Reason, succeeded
from replan_agent.execute.skills import pick
from replan_agent.execute.skills.pick import MOST_WATCHES, Pick


@pytest.fixture
def watched(monkeypatch):
    """Watch pads that are these distances (mm) apart, one after the other."""
    def watch(*widths_mm, pieces=('a piece',)):
        left = [width / 1000 for width in widths_mm]
        seconds = []

        def hold(call, duration_s):
            seconds.append(duration_s)
            del left[:1]
            return succeeded()

        monkeypatch.setattr(pick, 'hold', hold)
        monkeypatch.setattr(pick, 'named_object', lambda call: SimpleNamespace(
            name='spoon', pieces=pieces))
        result = Pick._until_still(None, SimpleNamespace(gripper_width=lambda: left[0]))
        return result, len(seconds)

    return watch


def test_pads_that_stand_still_are_watched_once(watched):
    result, times = watched(30.0, 29.95)
    assert result.success and times == 1


def test_pads_that_come_closer_are_watched_until_they_stand_still(watched):
    result, times = watched(30.0, 29.2, 28.6, 28.5)
    assert result.success and times == 3


def test_pads_that_keep_coming_closer_do_not_hold(watched):
    result, times = watched(*(30.0 - n for n in range(MOST_WATCHES + 1)))
    assert result.reason is Reason.GRASP_SLIPPED and times == MOST_WATCHES
    assert '1.0 mm' in result.reason_detail


def test_pads_that_closed_are_left_to_the_look(watched):
    result, times = watched(30.0, 0.5)
    assert result.success and times == 1


def test_a_primitive_is_watched_once(watched):
    result, times = watched(30.0, 29.0, 28.0, pieces=())
    assert result.success and times == 1
