# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The towers of Hanoi: the moves, and the judge of their rule."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from replan_agent_trouble.hanoi import BLOCKS, HIGH_M, PLATE_M, PLATES, Rule, is_free, moves_to

NEAR = (0.5, 0.0)
FIRST = HIGH_M / 2 + PLATE_M[2]


@pytest.mark.parametrize(('blocks', 'moves'), [(3, 7), (4, 15)])
def test_a_whole_tower_takes_the_fewest_moves(blocks: int, moves: int) -> None:
    names = BLOCKS[:blocks]
    assert len(moves_to(names, dict.fromkeys(names, PLATES[0]), PLATES[2])) == moves


def test_from_everywhere_the_moves_keep_the_rule_and_end_at_the_goal() -> None:
    names = BLOCKS[:3]
    for plates in itertools.product(PLATES, repeat=3):
        where = dict(zip(names, plates))
        for block, plate in moves_to(names, where, PLATES[2]):
            assert is_free(block, where[block], where) and is_free(block, plate, where)
            where[block] = plate
        assert set(where.values()) == {PLATES[2]}


@pytest.mark.parametrize(('large_z', 'small_z', 'said'), [
    (FIRST, FIRST + HIGH_M, ''),
    (FIRST + HIGH_M, FIRST, 'red_block stood on blue_block'),
    (HIGH_M / 2, FIRST, 'red_block stood on the table'),
    (FIRST + 0.1, FIRST, '')])
def test_the_rule_is_judged_while_blocks_stand_still(large_z: float, small_z: float, said: str
                                                      ) -> None:
    places = {'red_block': (*NEAR, large_z), 'blue_block': (*NEAR, small_z)}
    log = SimpleNamespace(states=[None] * 40, position=lambda name, state: places[name])
    assert Rule(('red_block', 'blue_block'))(log) == said


def test_what_is_carried_over_a_smaller_block_does_not_stand_on_it() -> None:
    at = itertools.count()
    log = SimpleNamespace(states=[None] * 40, position=lambda name, state: (
        0.5, 0.01 * next(at), FIRST + HIGH_M) if name == 'red_block' else (*NEAR, FIRST))
    assert Rule(('red_block', 'blue_block'))(log) == ''
