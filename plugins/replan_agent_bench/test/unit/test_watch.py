# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which contacts are intended."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_bench.worlds.accelerations import Accelerations
from replan_agent_bench.worlds.touches import TouchedPart
from replan_agent_bench.worlds.watch import Intended

FINGER, HAND, LINK = (TouchedPart(n, n, True) for n in ('leftfinger', 'hand', 'link5'))
TARGET, OTHER, TABLE = (TouchedPart(n, n, False) for n in ('red_cube', 'blue_cube', 'table'))
FLOOR, SIDE = (TouchedPart(n, 'bin', False) for n in ('bin_floor', 'bin_left'))


@pytest.mark.parametrize(('a', 'b', 'forbidden'), [
    (FINGER, TARGET, False), (HAND, TARGET, True), (LINK, TARGET, True),
    (FINGER, TABLE, True), (FINGER, OTHER, True), (FINGER, SIDE, True), (LINK, HAND, True),
    (TARGET, TABLE, False), (TARGET, FLOOR, False), (TARGET, SIDE, True), (TARGET, OTHER, True),
    (OTHER, TABLE, False), (OTHER, SIDE, False),
], ids=lambda v: v.name if isinstance(v, TouchedPart) else '')
def test_only_finger_on_target_and_target_on_support_are_meant(a, b, forbidden):
    intended = Intended('red_cube', ('table', 'bin_floor'))
    assert intended.forbids(a, b) is forbidden
    assert intended.forbids(b, a) is forbidden


def test_a_support_may_be_a_whole_object():
    assert not Intended('red_cube', ('bin',)).forbids(TARGET, SIDE)


@pytest.mark.parametrize(('push', 'expected'), [(0.0, 5.0), (3.0, 0.0)], ids=['free', 'pushed'])
def test_an_acceleration_counts_unless_a_contact_causes_it(push, expected):
    watched = Accelerations(2, 0.002)
    for k in range(40):
        speed = 5.0 * 0.002 * max(0, k - 20)
        watched.note(np.array([speed, 0.0]), np.array([push * (k > 20), 0.0]))
    assert watched.peaks == pytest.approx([expected, 0.0])


def test_an_acceleration_counts_again_some_time_after_a_contact():
    watched = Accelerations(1, 0.002)
    for k in range(200):
        watched.note(np.array([4.0 * 0.002 * max(0, k - 100)]), np.array([9.0 * (k > 20)]))
    assert watched.peaks == pytest.approx([4.0])
