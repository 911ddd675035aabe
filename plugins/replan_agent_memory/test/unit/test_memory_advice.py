# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which advice memory gives before a step: compared with the plain way, and fading."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_memory.failure_memory import DAY_S, FailureMemory, MemorySettings

from replan_agent.domain.recovery import PLAIN, Fix, Situation

LOOKS = {'shape': 'box', 'colour': 'red', 'size_m': [0.04, 0.04, 0.04], 'radius_m': 0.5}
SLIP = Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube', LOOKS)
HIT = replace(SLIP, reason='in_collision', cause='unexpected_contact')
FIRM, TURN = Fix('firm', {'force': 60, 'speed': 0.5}), Fix('turn', {'turn': 90})


class Clock:
    def __init__(self) -> None:
        self.now_s = 1e9

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path, clock) -> FailureMemory:
    """It has seen one slip, and one firm grip that helped."""
    made = FailureMemory(tmp_path / 'm.db', now_s=clock)
    made.remember_failure(SLIP, 'pick up the red cube', 'it slipped', as_planned=True)
    made.learn(SLIP, FIRM, True)
    return made


def before(name: str = 'red_cube', **features) -> Situation:
    return Situation('pick', object=name, features={**LOOKS, **features})


def test_what_helped_is_better_than_the_plain_way_that_failed(memory):
    (known,) = memory.recall(before())
    assert known.beats_plain and (known.weight, known.plain_weight) == (0.667, 0.333)


def test_one_plain_success_is_enough_against_one_failure(memory):
    memory.learn(SLIP, PLAIN, True)
    (known,) = memory.recall(before())
    assert known.is_trusted and not known.beats_plain


def test_a_fix_that_is_needed_again_and_again_outlasts_a_lucky_plain_success(memory):
    for _ in range(3):
        memory.remember_failure(SLIP, '', '', as_planned=True)
        memory.learn(SLIP, FIRM, True)
    memory.learn(SLIP, PLAIN, True)
    assert memory.recall(before())[0].beats_plain


def test_the_plain_way_is_compared_for_each_cause_alone(memory):
    memory.remember_failure(HIT, '', '', as_planned=True)
    memory.learn(HIT, TURN, True)
    memory.learn(HIT, PLAIN, True)
    better = {tuple(k.fix.changes): k.beats_plain for k in memory.recall(before())}
    assert better == {('force', 'speed'): True, ('turn',): False}


def test_a_failure_with_a_change_does_not_count_against_the_plain_way(memory):
    memory.remember_failure(SLIP, '', '', as_planned=False)
    assert memory.recall(before())[0].plain_weight == 0.333


@pytest.mark.parametrize('name', ['red_glass', 'red_egg_box', 'red_block'])
def test_the_same_looks_are_not_enough_if_the_name_says_another_kind_of_thing(name, memory):
    assert memory.recall(before(name)) == ()


@pytest.mark.parametrize('name', ['red_cube', 'red_cube_2', 'Red Cube'])
def test_a_second_thing_of_the_same_kind_and_looks_gets_the_advice(name, memory):
    assert memory.recall(before(name))


def test_advice_that_is_not_used_fades(memory, clock):
    weights = []
    for days in (0, 30, 60, 120):
        clock.now_s = 1e9 + days * DAY_S
        weights.append(memory.recall(before())[0])
    assert [k.weight for k in weights] == [0.667, 0.6, 0.556, 0.515]
    assert [k.is_trusted for k in weights] == [True, True, True, False]


def test_advice_that_is_used_does_not_fade(tmp_path, memory, clock, monkeypatch):
    monkeypatch.setattr('replan_agent_memory.memory_store.time.time', clock)
    clock.now_s += 60 * DAY_S
    memory.chooses_plain(memory.recall(before())[0])
    clock.now_s += 30 * DAY_S
    assert memory.recall(before())[0].weight == 0.6


def choices(path, share: float, seed: int = 0, uses: int = 40) -> list[bool]:
    memory = FailureMemory(path, MemorySettings(plain_share=share, seed=seed))
    memory.learn(SLIP, FIRM, True)
    known = memory.recall(before())[0]
    return [memory.chooses_plain(known) for _ in range(uses)]


@pytest.mark.parametrize('share', [0.0, 0.1, 0.15, 0.5, 1.0])
def test_a_share_of_the_uses_is_plain(share, tmp_path):
    assert sum(choices(tmp_path / 'm.db', share)) == pytest.approx(40 * share, abs=1)


def test_the_first_use_of_a_fix_is_never_plain(tmp_path):
    assert not any(choices(tmp_path / f'{seed}.db', 0.15, seed, uses=1)[0] for seed in range(20))


def test_the_seed_decides_which_uses_are_plain(tmp_path):
    drawn = [choices(tmp_path / f'{k}.db', 0.1, seed) for k, seed in enumerate((1, 1, 2, 3))]
    assert drawn[0] == drawn[1] and len({tuple(one) for one in drawn}) > 1


def test_a_failure_without_a_fix_is_remembered_in_words(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db', MemorySettings(robot='panda'))
    far = replace(SLIP, reason='unreachable', cause='beyond_reach', object='far_cube')
    memory.remember_failure(far, 'fetch the far cube', 'it is 1.2 m away', as_planned=True)
    (entry,) = memory._store.entries()
    assert (entry.task, entry.root_cause, entry.error_type, entry.robot, entry.failed) == (
        'fetch the far cube', 'it is 1.2 m away', 'value_error', 'panda', 1)
    assert memory.recall(far) == ()  # there is nothing to try
