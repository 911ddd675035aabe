# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What failed and what helped is found again, weighed, shared, and never in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from replan.cases import cube, scene, slip
from replan_agent_memory.failure_memory import FailureMemory
from replan_agent_memory.memory_store import MemoryStore

from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import Fix, Situation
from replan_agent.domain.skill import find_spec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.situation import build_situation

FIRM = Fix('hold it firmly', {'force': 70, 'speed': 0.5})
PICK = Step(1, 'pick', {'object': 'red_cube'})
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def memory(tmp_path) -> FailureMemory:
    return FailureMemory(tmp_path / 'robot' / 'memory.db')


def slipped(**more) -> Situation:
    failed = slip()
    return replace(build_situation(PICK, failed.before, failed.skill, failed.attempt), **more)


def before_failing(thing=None, step: Step = PICK) -> Situation:
    skill = find_spec(standard_skills().specs(), step.skill)
    return build_situation(step, scene(thing or cube()), skill)


def test_a_learned_fix_is_recalled_after_the_same_failure(memory):
    memory.learn(slipped(), FIRM, True)
    (known,) = memory.recall(slipped())
    assert known.fix.changes == FIRM.changes and known.fix.message == 'hold it firmly'
    assert known.similarity == 1.0 and (known.worked, known.failed) == (1, 0)
    assert known.fix.source == 'memory'


def test_it_is_recalled_before_anything_failed_for_the_same_object_in_a_new_pose(memory):
    memory.learn(slipped(), FIRM, True)
    assert memory.recall(before_failing(cube(0.38, -0.2)))


def test_another_object_is_not_changed_before_it_failed_too(memory):
    memory.learn(slipped(), FIRM, True)
    other = cube(name='blue_cube', colour='blue')
    step = Step(1, 'pick', {'object': 'blue_cube'})
    assert not memory.recall(before_failing(other, step))
    after = replace(before_failing(other, step), reason='grasp_slipped', cause='slipped_in_lift')
    assert memory.recall(after)[0].similarity < 1.0


def test_another_failure_or_skill_recalls_nothing(memory):
    memory.learn(slipped(), FIRM, True)
    assert not memory.recall(slipped(reason='unreachable', cause='beyond_reach'))
    assert not memory.recall(slipped(skill='push'))


def test_the_same_reason_with_another_cause_is_only_similar(memory):
    memory.learn(slipped(), FIRM, True)
    (known,) = memory.recall(slipped(cause='took_another'))
    assert known.similarity == pytest.approx(0.6)


def test_a_bigger_object_is_less_alike(memory):
    memory.learn(slipped(), FIRM, True)
    big = slipped(features={**slipped().features, 'size_m': [0.05, 0.05, 0.06]})
    assert memory.recall(big)[0].similarity < 0.85


def test_a_fix_that_works_gains_weight_and_one_that_fails_loses_it(memory):
    weights = []
    for worked in (True, True, False):
        memory.learn(slipped(), FIRM, worked)
        (known,) = memory.recall(slipped())  # the same pattern and fix stay one entry
        weights.append(known.weight)
    assert weights == [pytest.approx(2 / 3, abs=1e-3), 0.75, 0.6]


def test_what_worked_comes_before_what_did_not(memory):
    turned = Fix('turn', {'turn': 90})
    memory.learn(slipped(), turned, False)
    memory.learn(slipped(), FIRM, True)
    assert [k.fix.changes for k in memory.recall(slipped())] == [FIRM.changes, turned.changes]
    assert memory.recall(slipped())[1].weight < 0.5


def test_a_fix_that_changes_nothing_is_not_remembered(memory):
    memory.learn(slipped(), Fix('look again'), True)
    assert memory.recall(slipped()) == ()


def test_a_local_remedy_is_remembered_by_its_kind(memory):
    memory.learn(slipped(), Fix('push it', option='push_in', source='local'), True)
    assert memory.recall(slipped())[0].fix.option == 'push_in'


def test_entries_carry_tags_and_importance(tmp_path):
    store = MemoryStore(tmp_path / 'm.db')
    store.add(slipped(), FIRM, 1, 0)
    (entry,) = store.entries()
    assert entry.tags == ('learning', 'pattern', 'fix') and entry.importance == 0.8
    assert entry.pattern == 'pick slipped_in_lift red_cube box red 4x4x4cm'


def test_a_row_with_more_of_the_words_is_found_first(tmp_path):
    store = MemoryStore(tmp_path / 'm.db')
    store.add(slipped(), FIRM, 1, 0, at=1.0)
    store.add(Situation('pick', 'in_collision', 'boxed_in'), FIRM, 1, 0, at=2.0)
    found = store.search(['pick', 'slipped_in_lift'])
    assert [entry.situation.cause for entry in found] == ['slipped_in_lift', 'boxed_in']


def test_a_corrupt_file_is_a_warning_and_no_memory(tmp_path):
    path = tmp_path / 'm.db'
    path.write_bytes(b'this is no database, ' * 500)
    memory = FailureMemory(path)
    memory.learn(slipped(), FIRM, True)
    assert memory.recall(slipped()) == ()
    (warning,) = memory.warnings()  # said once, though it failed twice
    assert 'm.db' in warning
    assert path.read_bytes().startswith(b'this is no database')


def test_a_file_damaged_in_the_middle_is_a_warning_and_no_memory(tmp_path):
    path = tmp_path / 'm.db'
    store = MemoryStore(path)
    for k in range(50):
        store.add(slipped(object=f'cube_{k}'), FIRM, 1, 0)
    content = bytearray(path.read_bytes())
    content[4096:] = b'\xff' * (len(content) - 4096)
    path.write_bytes(content)
    memory = FailureMemory(path)
    assert memory.recall(slipped()) == () and memory.warnings()


def test_a_file_of_a_newer_release_is_left_alone(tmp_path):
    path = tmp_path / 'm.db'
    MemoryStore(path).add(slipped(), FIRM, 1, 0)
    with sqlite3.connect(path) as connection:
        connection.execute('PRAGMA user_version = 99')
    memory = FailureMemory(path)
    assert memory.recall(slipped()) == () and 'newer' in memory.warnings()[0]


@pytest.mark.parametrize('table', ['customers (id INTEGER, name TEXT)',
                                   'memory (id INTEGER, pattern TEXT)'])
def test_a_database_of_something_else_is_left_alone(table, tmp_path):
    path = tmp_path / 'm.db'
    with sqlite3.connect(path) as connection:
        connection.execute(f'CREATE TABLE {table}')
    connection.close()
    content = path.read_bytes()
    memory = FailureMemory(path)
    memory.learn(slipped(), FIRM, True)
    assert memory.recall(slipped()) == () and 'm.db' in memory.warnings()[0]
    assert path.read_bytes() == content


def test_a_locked_file_is_a_warning_and_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr('replan_agent_memory.memory_store.BUSY_S', 0.05)
    path = tmp_path / 'm.db'
    MemoryStore(path).add(slipped(), FIRM, 1, 0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute('BEGIN EXCLUSIVE')
    memory = FailureMemory(path)
    memory.learn(slipped(), FIRM, True)
    assert 'locked' in memory.warnings()[0]
    other.execute('ROLLBACK')
    other.close()
    assert memory.recall(slipped())[0].worked == 1  # later it is there again


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write anywhere')
def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path):
    tmp_path.chmod(0o500)
    memory = FailureMemory(tmp_path / 'sub' / 'm.db')
    memory.learn(slipped(), FIRM, True)
    assert memory.warnings()


def test_a_path_that_is_a_folder_is_a_warning(tmp_path):
    memory = FailureMemory(tmp_path)
    memory.learn(slipped(), FIRM, True)
    assert memory.recall(slipped()) == () and memory.warnings()


WRITER = """
import sys
from pathlib import Path
from replan_agent.domain.recovery import Fix, Situation
from replan_agent_memory.failure_memory import FailureMemory
memory = FailureMemory(Path(sys.argv[1]))
for k in range(25):
    memory.learn(Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube'),
                 Fix('firm', {'force': 70}), k % 5 != 0)
    memory.learn(Situation('pick', 'grasp_slipped', 'slipped_in_lift', f'own_{sys.argv[2]}'),
                 Fix('firm', {'force': 70}), True)
    memory.recall(Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube'))
print(memory.warnings())
"""


def test_several_processes_share_one_file_without_losing_a_count(tmp_path):
    path = tmp_path / 'm.db'  # does not exist yet: all of them race to make it
    writers = [subprocess.Popen([sys.executable, '-c', WRITER, str(path), str(n)], cwd=ROOT,
                                stdout=subprocess.PIPE, text=True) for n in range(4)]
    said = [writer.communicate(timeout=120)[0].strip() for writer in writers]
    assert said == ['()'] * 4
    entries = {entry.situation.object: entry for entry in MemoryStore(path).entries()}
    assert (entries['red_cube'].worked, entries['red_cube'].failed) == (80, 20)
    assert [entries[f'own_{n}'].worked for n in range(4)] == [25] * 4
