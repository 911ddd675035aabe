# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a task teaches its memory, and what memory then changes: only what helps."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from agent.fakes import (
    HOLDING,
    PICK,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    step,
)
from agent.fakes import steps as planned
from agent.test_slips_in_the_loop import SLIPPED
from replan_agent_memory.failure_memory import FailureMemory, MemorySettings
from replan_agent_memory.memory_store import MemoryStore

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.recovery import PLAIN, Fix
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.situation import build_situation
from replan_agent.replan.reflect.reflection import RuleReflector

TOUCHED = failed(Reason.IN_COLLISION, 'unexpected contact', FailedStage.EXECUTION, contact=True)
HELD = scene(held='red_cube')
JAMMED = failed(Reason.GRASP_SLIPPED, 'rose 0 mm', FailedStage.POSTCONDITION, closed_width=0.07,
                gripper_width=0.07)
FAR = failed(Reason.UNREACHABLE, '1.2 m away', FailedStage.PLANNING)
ALWAYS = MemorySettings(plain_share=0.0)


def run(path, *results, scenes=(), name='red_cube', settings=ALWAYS, **config):
    """One task with that memory. The skill gives these results; the last one again and again."""
    skills = FakeSkills(*results)
    seen = scenes or tuple([scene(cube(name=name))] * (2 * len(results) - 1)
                           + [scene(cube(name=name), held=name)])
    rig = Rig(FakePlanner(planned(step(object=name))), skills, FakePerception(*seen),
              config=AgentConfig(**config),
              ports={'reflector': RuleReflector(), 'memory': FailureMemory(path, settings)})
    result = rig.run()
    changes = [{k: v for k, v in s.args.items() if k != 'object'} for s in skills.executed]
    return result, changes


def known(path):
    """The changes that memory knows, with their counts."""
    return {tuple(e.fix.changes.items()): (e.worked, e.failed)
            for e in MemoryStore(path).entries() if not e.is_plain}


FIRM = (('force', 60), ('speed', 0.5))


def test_a_slip_teaches_the_firmer_grip_that_ended_it(tmp_path):
    _, changes = run(tmp_path / 'm.db', SLIPPED, succeeded())
    assert changes == [{}, dict(FIRM)] and known(tmp_path / 'm.db') == {FIRM: (1, 0)}


def test_a_jam_teaches_no_force(tmp_path):
    _, changes = run(tmp_path / 'm.db', JAMMED, succeeded())
    assert len(changes) == 2 and known(tmp_path / 'm.db') == {}
    assert run(tmp_path / 'm.db', succeeded())[1] == [{}]


def test_a_nudged_object_teaches_no_turn(tmp_path):
    nudged = (scene(cube(0.5)), scene(cube(0.53)), scene(cube(0.53)), HELD)
    _, changes = run(tmp_path / 'm.db', TOUCHED, succeeded(), scenes=nudged)
    assert changes == [{}, {}] and known(tmp_path / 'm.db') == {}  # the look shows the nudge
    assert run(tmp_path / 'm.db', succeeded())[1] == [{}]


def test_a_contact_of_an_object_that_stays_teaches_the_turn(tmp_path):
    run(tmp_path / 'm.db', TOUCHED, succeeded())
    assert known(tmp_path / 'm.db') == {(('turn', 90),): (1, 0)}


def test_a_success_with_advice_does_not_confirm_it(tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    for _ in range(7):
        assert run(tmp_path / 'm.db', succeeded())[1] == [dict(FIRM)]
    assert known(tmp_path / 'm.db') == {FIRM: (1, 0)}


@pytest.mark.parametrize('unrelated', [FAR, TOUCHED])
def test_a_failure_that_the_change_cannot_affect_is_not_counted_against_it(unrelated, tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    run(tmp_path / 'm.db', unrelated, max_replans=0, max_step_retries=0)
    assert known(tmp_path / 'm.db')[FIRM] == (1, 0)
    assert run(tmp_path / 'm.db', succeeded())[1] == [dict(FIRM)]


def test_a_slip_in_spite_of_the_advice_counts_against_it(tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    assert known(tmp_path / 'm.db')[FIRM] == (1, 1)


def test_an_ordinary_thing_that_looks_alike_is_soon_picked_as_planned_again(tmp_path):
    often = MemorySettings(plain_share=0.15)
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    forces = [run(tmp_path / 'm.db', succeeded(), settings=often)[1][0].get('force')
              for _ in range(10)]
    plain = forces.index(None)
    assert 1 <= plain <= 6 and set(forces[plain:]) == {None}


def test_a_plain_try_that_fails_confirms_the_advice(tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    _, changes = run(tmp_path / 'm.db', SLIPPED, succeeded(), settings=MemorySettings(1.0))
    assert changes == [{}, dict(FIRM)] and known(tmp_path / 'm.db') == {FIRM: (2, 0)}


def test_advice_for_two_causes_is_used_together(tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    situation = build_situation(step(), scene(), PICK)
    FailureMemory(tmp_path / 'm.db').learn(situation, Fix('turn', {'turn': 90}), True)
    (changes,) = run(tmp_path / 'm.db', succeeded())[1]
    assert changes == {**dict(FIRM), 'turn': 90}


def test_a_firmer_grip_keeps_the_turn_that_ended_a_contact(tmp_path):
    _, changes = run(tmp_path / 'm.db', TOUCHED, SLIPPED, succeeded())
    assert changes == [{}, {'turn': 90}, {'turn': 90, **dict(FIRM)}]
    assert known(tmp_path / 'm.db') == {(('turn', 90),): (1, 0), FIRM: (1, 0)}


def test_a_change_that_failed_is_not_tried_again_in_the_same_task(tmp_path):
    result, changes = run(tmp_path / 'm.db', SLIPPED, scenes=(scene(),), max_replans=3)
    assert [c.get('force', 40) for c in changes] == [40, 60, 70, 70, 70]
    assert (changes[3]['turn'], changes[4]['grasp']) == (90, 'tilted')
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert 'slipped_in_lift' in result.final_detail


def test_a_failure_that_no_change_can_affect_is_retried_as_before(tmp_path):
    missed = failed(Reason.VERIFICATION_FAILED, 'not seen', FailedStage.POSTCONDITION)
    _, changes = run(tmp_path / 'm.db', missed, missed, succeeded())
    assert changes == [{}, {}, {}]


def test_memory_never_grips_a_fragile_thing_with_more_force(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db')
    glass = build_situation(step(object='red_glass'), scene(cube(name='red_glass')), PICK)
    memory.learn(glass, Fix('firm', dict(FIRM)), True)
    assert run(tmp_path / 'm.db', succeeded(), name='red_glass')[1] == [{'speed': 0.5}]


def test_a_slip_never_makes_the_grip_of_a_fragile_thing_firmer(tmp_path):
    _, changes = run(tmp_path / 'm.db', SLIPPED, name='red_egg_box',
                     scenes=(scene(cube(name='red_egg_box')),))
    assert changes == [{}, {'speed': 0.5}, {'speed': 0.25}, {'speed': 0.25, 'turn': 90},
                       {'speed': 0.25, 'grasp': 'tilted'}]


def test_each_failure_is_remembered_with_its_words(tmp_path):
    run(tmp_path / 'm.db', FAR, max_replans=0, settings=MemorySettings(robot='panda'))
    (entry,) = MemoryStore(tmp_path / 'm.db').entries()
    assert entry.fix.option == PLAIN.option and (entry.worked, entry.failed) == (0, 1)
    assert entry.task == 'pick up the red cube' and entry.root_cause
    assert (entry.error_type, entry.robot) == ('value_error', 'panda')


def test_an_unmet_goal_is_remembered_too(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db')
    Rig(FakePlanner(planned(step(), goals=[HOLDING])), FakeSkills(succeeded()),
        FakePerception(scene()), config=AgentConfig(max_replans=0), ports={'memory': memory}).run()
    assert [e.situation.cause for e in MemoryStore(tmp_path / 'm.db').entries()] == ['goal_unmet']


@pytest.mark.parametrize('damage', ["worked = 'many'", 'worked = -2', "situation = '{not json'",
                                    "importance = 'x'", "worked = x'00ff'"])
def test_a_damaged_row_is_a_warning_and_the_task_runs(damage, tmp_path):
    run(tmp_path / 'm.db', SLIPPED, succeeded())
    with closing(sqlite3.connect(tmp_path / 'm.db')) as connection, connection:
        connection.execute(f'UPDATE memory SET {damage}')
    result, changes = run(tmp_path / 'm.db', succeeded())
    assert result.success and changes == [{}]
