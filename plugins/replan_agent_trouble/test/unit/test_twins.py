# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The drawn troubles: twins begin alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_trouble.causes import CAUSES
from replan_agent_trouble.tabletop import TABLETOP
from replan_agent_trouble.twins import TWINS, Twins

PAIRS = [twins for twins in TWINS if twins.both]
SHAPED = ('wide', 'far', 'full')  # it can be seen: a side, a distance, room
SEEDS = range(5)


def test_there_are_ten_troubles_with_twins() -> None:
    assert len(PAIRS) >= 10
    assert TABLETOP.twins('nothing') == (True,)


@pytest.mark.parametrize('twins', PAIRS, ids=lambda twins: twins.name)
def test_the_first_picture_does_not_tell_the_twins_apart(twins: Twins) -> None:
    for seed in SEEDS:
        can, cannot = (twins.case(seed, solvable) for solvable in (True, False))
        assert can.task == cannot.task
        seen = [[replace(o, mass=1.0, friction=1.0, fixed=False, **(
            {'size': o.size[:1], 'position': ()} if twins.name in SHAPED else {}))
            for o in case.objects] for case in (can, cannot)]
        if twins.name not in SHAPED:
            assert seen[0] == seen[1]
        assert [o.name for o in seen[0]] == [o.name for o in seen[1]]
        assert [o.colour for o in seen[0]] == [o.colour for o in seen[1]]


@pytest.mark.parametrize('twins', TWINS, ids=lambda twins: twins.name)
def test_what_cannot_be_done_has_a_cause_with_a_word(twins: Twins) -> None:
    for solvable in TABLETOP.twins(twins.name):
        causes = twins.case(3, solvable).causes
        assert causes <= set(CAUSES)
        assert solvable or causes


@pytest.mark.parametrize('twins', TWINS, ids=lambda twins: twins.name)
def test_a_seed_draws_the_same_case_everywhere(twins: Twins) -> None:
    for solvable in TABLETOP.twins(twins.name):
        one, other = (twins.case(11, solvable) for _ in range(2))
        assert (one.objects, one.task, one.causes) == (other.objects, other.task, other.causes)
