"""Which contacts are intended."""

from __future__ import annotations

import pytest
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
