# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong with the memory's file, recall and learn go on, and say so in a warning."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replan_agent_memory.failure_memory import FailureMemory
from replan_agent_memory.memory_schema import ADDED_COLUMNS, FIRST_COLUMNS
from replan_agent_memory.memory_store import MemoryStore

from replan_agent.domain.recovery import Fix, Situation

LOOKS = {'shape': 'box', 'colour': 'red', 'size_m': [0.04, 0.04, 0.04], 'radius_m': 0.5,
         'nearest_gap_m': None}
SLIP = Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube', LOOKS)
OTHER = Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube',
                  {**LOOKS, 'size_m': [0.05, 0.05, 0.05]})
BEFORE = Situation('pick', object='red_cube', features=LOOKS)
FIRM, FIRMER = Fix('firm', {'force': 60}), Fix('firmer', {'force': 70})
COLUMNS = tuple(name for name in (*FIRST_COLUMNS, *ADDED_COLUMNS) if name != 'id')


def write(path: Path, column: str, value: object) -> None:
    """Damage row 1 of a memory that has a sound row 2."""
    store = MemoryStore(path)
    store.add(SLIP, FIRM, 3, 0)
    store.add(OTHER, FIRMER, 3, 0)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('PRAGMA ignore_check_constraints = ON')
        connection.execute(f'UPDATE OR IGNORE memory SET {column} = ? WHERE id = 1', (value,))


def use(path: Path) -> FailureMemory:
    """All that a task does with its memory."""
    memory = FailureMemory(path)
    for situation in (BEFORE, SLIP):
        for known in memory.recall(situation):
            assert 0 <= known.weight <= 1 and 0 <= known.plain_weight <= 1
            json.dumps(known.as_dict(), allow_nan=False).encode('utf-8')  # it goes to the record
            memory.chooses_plain(known)
            memory.learn(known.situation, known.fix, True)
    memory.learn(SLIP, FIRM, False)
    memory.remember_failure(SLIP, 'pick up the red cube', 'it slipped', as_planned=True)
    return memory


@pytest.mark.parametrize(('column', 'value'), [
    ('worked', 'many'), ('worked', -2), ('failed', -3), ('worked', 2.5), ('worked', b'\x00\xff'),
    ('worked', 9e18), ('worked', float('inf')), ('importance', 'high'), ('importance', 7),
    ('updated', 'yesterday'), ('updated', 1e300), ('used', 'often'), ('tags', b'\xff'),
    ('fix', '[1]'), ('fix', '{"changes": [], "option": 5}'), ('fix', '[' * 100_000),
    ('situation', '{not json'), ('situation', '{}'), ('situation', 'null'),
    ('situation', '{"skill": "pick", "reason": "", "cause": "", "object": "", "features": 3}')])
def test_a_damaged_row_is_left_out_and_named_and_the_others_help(column, value, tmp_path):
    write(tmp_path / 'm.db', column, value)
    memory = FailureMemory(tmp_path / 'm.db')
    assert [dict(k.fix.changes) for k in memory.recall(SLIP)] == [{'force': 70}]
    (warning,) = memory.warnings()
    assert 'row 1' in warning and len(warning) < 400
    assert use(tmp_path / 'm.db').recall(SLIP)


@pytest.mark.parametrize('features', [
    {'radius_m': float('nan')}, {'size_m': 'big'}, {'size_m': [1e-320, 1e-320, 1e-320]},
    {'nearest_gap_m': float('inf')}, {'shape': {'deep': [[[]]]}}, {'colour': '\ud800'},
    {'radius_m': 10**400}])
def test_odd_features_are_left_out_or_do_not_matter(features, tmp_path):
    odd = json.dumps({**SLIP.as_dict(), 'features': {**LOOKS, **features}})
    write(tmp_path / 'm.db', 'situation', odd)
    use(tmp_path / 'm.db')


def test_a_count_that_is_damaged_begins_again_with_the_next_outcome(tmp_path):
    write(tmp_path / 'm.db', 'worked', 'many')
    FailureMemory(tmp_path / 'm.db').learn(SLIP, FIRM, True)
    assert MemoryStore(tmp_path / 'm.db').get(1).worked == 1


ANYTHING = st.one_of(
    st.none(), st.text(max_size=20), st.binary(max_size=20), st.floats(),
    st.integers(-2**63, 2**63 - 1), st.sampled_from(['{}', '[]', 'null', '"x"', '1e999', 'NaN']),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5),
                 lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                     st.sampled_from(['skill', 'reason', 'cause', 'object', 'features', 'changes',
                                      'option', 'size_m', 'force']), inner, max_size=4),
                 max_leaves=8).map(json.dumps))


@pytest.mark.fuzz
@settings(suppress_health_check=[HealthCheck.too_slow],
          max_examples=max(10, settings().max_examples // 5))  # each waits for the disk
@given(st.dictionaries(st.sampled_from(COLUMNS), ANYTHING, min_size=1, max_size=4))
def test_no_row_whatever_it_holds_stops_the_memory(values):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'm.db'
        for column, value in values.items():
            try:
                write(path, column, value)
            except (sqlite3.IntegrityError, UnicodeEncodeError):
                continue  # SQLite itself refuses it
        assert any(k.fix.changes == {'force': 70} for k in use(path).recall(OTHER))


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no named pipes here')
def test_a_pipe_instead_of_a_file_is_a_warning(tmp_path):
    os.mkfifo(tmp_path / 'm.db')
    assert 'not a file' in use(tmp_path / 'm.db').warnings()[0]


@pytest.mark.parametrize('path', ['/proc/nope/m.db', '/dev/null', 'a\x00b', '/dev/full/m.db'])
def test_a_path_that_cannot_be_used_is_a_warning(path):
    assert use(Path(path)).warnings()


def test_a_file_that_only_root_may_write_is_a_warning(tmp_path, monkeypatch):
    path = tmp_path / 'm.db'
    MemoryStore(path).add(SLIP, FIRM, 1, 0)
    real = sqlite3.connect

    def read_only(file, **more):
        return real(f'file:{file}?mode=ro', uri=True, **more)

    monkeypatch.setattr('replan_agent_memory.memory_store.sqlite3.connect', read_only)
    memory = FailureMemory(path)
    assert memory.recall(SLIP)[0].worked == 1  # it still advises
    memory.learn(SLIP, FIRM, True)
    assert 'readonly' in memory.warnings()[0]


def test_a_file_of_the_first_release_keeps_its_rows(tmp_path):
    path = tmp_path / 'm.db'
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            'CREATE TABLE memory (id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, fix TEXT NOT '
            'NULL, situation TEXT NOT NULL, message TEXT NOT NULL, source TEXT NOT NULL, tags '
            'TEXT NOT NULL, importance REAL NOT NULL, worked INTEGER NOT NULL, failed INTEGER NOT '
            'NULL, created REAL NOT NULL, updated REAL NOT NULL, UNIQUE (pattern, fix))')
        connection.execute('CREATE VIRTUAL TABLE memory_words USING fts5(pattern)')
        connection.execute('INSERT INTO memory VALUES (1, ?, ?, ?, ?, ?, ?, 0.8, 4, 1, 1e9, 1e9)',
                           ('pick slipped_in_lift red_cube box red 4x4x4cm',
                            '{"changes": {"force": 60}, "option": ""}',
                            json.dumps(SLIP.as_dict()), 'firm', 'rules', 'learning pattern fix'))
        connection.execute('PRAGMA user_version = 1')
    memory = FailureMemory(path)
    (known,) = memory.recall(SLIP)
    assert (known.worked, known.failed) == (4, 1) and memory.warnings() == ()
