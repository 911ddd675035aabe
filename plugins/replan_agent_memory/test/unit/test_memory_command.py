# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent memory`: what a person can do with what the robot remembers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from replan_agent_memory.failure_memory import FailureMemory, MemorySettings
from replan_agent_memory.memory_command import add_commands
from replan_agent_memory.memory_store import MemoryStore

from replan_agent.app.build.build_agent import build_recovery_parts
from replan_agent.app.cli.main import main
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.domain.recovery import Fix, Situation
from replan_agent.replan.reflect.reflection import RuleReflector

SLIP = Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube',
                 {'shape': 'box', 'colour': 'red', 'size_m': [0.04, 0.04, 0.06]})
HIT = Situation('pick', 'in_collision', 'unexpected_contact', 'blue_bar', {'shape': 'box'})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'arm.db'
    store = MemoryStore(path)
    store.add(SLIP, Fix('hold it firmly', {'force': 70}), 3, 1)
    store.add(HIT, Fix('come from the side', {'turn': 90}), 1, 0)
    return path


def memory(*words: str) -> int:
    return main(['memory', *map(str, words)], plug_ins=[add_commands])


def test_list_shows_pattern_fix_and_counts(file, capsys):
    assert memory('list', '--memory', file) == 0
    shown = capsys.readouterr().out
    assert 'slipped_in_lift' in shown and 'force=70' in shown and '3 of 4' in shown


def test_list_can_search_words(file, capsys):
    assert memory('list', '--search', 'blue_bar', '--memory', file) == 0
    shown = capsys.readouterr().out
    assert 'unexpected_contact' in shown and 'slipped' not in shown


def test_show_prints_every_detail_of_an_entry(file, capsys):
    assert memory('show', 1, '--memory', file) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown['fix']['message'] == 'hold it firmly'
    assert shown['tags'] == ['learning', 'pattern', 'fix'] and shown['importance'] == 0.8


def test_forget_removes_that_one_only(file, capsys):
    assert memory('forget', 1, '--memory', file) == 0
    assert [e.situation.object for e in MemoryStore(file).entries()] == ['blue_bar']


def test_forget_all_leaves_nothing(file, capsys):
    assert memory('forget', '--all', '--memory', file) == 0
    assert memory('list', '--memory', file) == 0
    assert 'the memory is empty' in capsys.readouterr().out


def test_an_export_taken_in_elsewhere_is_the_same_memory(file, tmp_path, capsys):
    exported, other = tmp_path / 'out.json', tmp_path / 'other.db'
    assert memory('export', exported, '--memory', file) == 0
    assert memory('import', exported, '--memory', other) == 0
    before, after = MemoryStore(file).entries(), MemoryStore(other).entries()

    def content(entries):
        return {e.pattern: {k: v for k, v in e.as_dict().items() if k != 'id'} for e in entries}

    assert content(before) == content(after) and len(after) == 2
    assert FailureMemory(other).recall(SLIP)[0].worked == 3


def counts(path) -> dict[str, tuple[int, int]]:
    return {e.situation.object: (e.worked, e.failed) for e in MemoryStore(path).entries()}


def test_the_same_file_imported_twice_counts_once(file, tmp_path, capsys):
    exported, other = tmp_path / 'out.json', tmp_path / 'other.db'
    memory('export', exported, '--memory', file)
    for _ in range(2):
        assert memory('import', exported, '--memory', other) == 0
    assert counts(other) == counts(file) == {'red_cube': (3, 1), 'blue_bar': (1, 0)}
    memory('import', exported, '--memory', file)  # its own export tells it nothing new
    assert counts(other) == counts(file)
    assert '2 read, 0 outcomes are new' in capsys.readouterr().out


def test_what_two_robots_counted_adds_up_and_a_later_export_adds_only_what_is_new(
        file, tmp_path, capsys):
    exported, other = tmp_path / 'out.json', tmp_path / 'other.db'
    MemoryStore(other).add(SLIP, Fix('hold it firmly', {'force': 70}), 2, 0)
    memory('export', exported, '--memory', file)
    memory('import', exported, '--memory', other)
    assert counts(other)['red_cube'] == (5, 1)
    MemoryStore(file).add(SLIP, Fix('hold it firmly', {'force': 70}), 1, 0)
    memory('export', exported, '--memory', file)
    memory('import', exported, '--memory', other)
    assert counts(other)['red_cube'] == (6, 1)


def test_what_comes_on_two_ways_counts_once(file, tmp_path, capsys):
    first, second, third = (tmp_path / name for name in ('1.json', '2.json', 'third.db'))
    memory('export', first, '--memory', file)
    memory('import', first, '--memory', tmp_path / 'second.db')
    memory('export', second, '--memory', tmp_path / 'second.db')
    for exported in (first, second):
        memory('import', exported, '--memory', third)
    assert counts(third) == counts(file)


def test_an_export_brings_back_what_was_forgotten(file, tmp_path, capsys):
    before = counts(file)
    memory('export', tmp_path / 'out.json', '--memory', file)
    memory('forget', '--all', '--memory', file)
    memory('import', tmp_path / 'out.json', '--memory', file)
    assert counts(file) == before


def test_an_export_of_the_first_release_imported_twice_counts_once(file, tmp_path, capsys):
    exported, other = tmp_path / 'out.json', tmp_path / 'other.db'
    old = [{k: v for k, v in entry.as_dict().items() if k not in (
        'used', 'task', 'root_cause', 'error_type', 'robot')}
        for entry in MemoryStore(file).entries()]
    exported.write_text(json.dumps({'replan_agent_memory': 1, 'entries': old}))
    for _ in range(2):
        assert memory('import', exported, '--memory', other) == 0
    assert counts(other) == counts(file)


@pytest.mark.parametrize('words', ['learning', 'failure', 'shelf', 'not_found', 'panda',
                                   'vanished', 'green_mug'])
def test_search_finds_tags_task_words_root_cause_error_type_and_robot(words, tmp_path, capsys):
    path = tmp_path / 'arm.db'
    FailureMemory(path, MemorySettings(robot='panda')).remember_failure(
        Situation('pick', 'object_not_found', 'not_in_scene', 'green_mug'),
        'put the mug on the shelf', 'it vanished', as_planned=True)
    assert memory('list', '--search', words, '--memory', path) == 0
    assert 'not_in_scene green_mug' in capsys.readouterr().out
    assert memory('list', '--search', 'nothing', '--memory', path) == 0
    assert 'no entry has any of: nothing' in capsys.readouterr().out


def test_a_damaged_entry_is_named_and_can_be_forgotten(file, capsys):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE memory SET worked = 'many' WHERE id = 1")
    assert memory('list', '--memory', file) == 0
    shown = capsys.readouterr()
    assert 'blue_bar' in shown.out and 'red_cube' not in shown.out
    assert 'left out entry 1' in shown.err
    assert memory('forget', 1, '--memory', file) == 0
    assert memory('list', '--memory', file) == 0 and capsys.readouterr().err == ''


@pytest.mark.parametrize('text', [
    'no json', '[]', '{}', '{"replan_agent_memory": 1}', '{"replan_agent_memory": 7}',
    '{"replan_agent_memory": 1, "entries": [{"situation": 3}]}'])
def test_what_is_no_export_is_refused_before_anything_is_written(text, file, tmp_path, capsys):
    bad = tmp_path / 'bad.json'
    bad.write_text(text)
    assert memory('import', bad, '--memory', file) == 2
    assert 'bad.json' in capsys.readouterr().err and len(MemoryStore(file).entries()) == 2


@pytest.mark.parametrize('words', [['show', '99'], ['forget', '99']])
def test_an_entry_that_is_not_there_is_named_with_those_that_are(words, file, capsys):
    assert memory(*words, '--memory', file) == 2
    assert 'no entry 99; there are: 2, 1' in capsys.readouterr().err


def test_without_a_file_it_says_how_to_name_one(capsys):
    assert memory('list') == 2
    assert '--memory FILE' in capsys.readouterr().err


def test_a_broken_file_is_an_error_here(tmp_path, capsys):
    path = tmp_path / 'broken.db'
    path.write_bytes(b'no database ' * 100)
    assert memory('list', '--memory', path) == 2
    assert 'broken.db' in capsys.readouterr().err


def test_the_settings_decide_which_recovery_parts_there_are(tmp_path):
    plain = build_recovery_parts(Config())
    assert plain['memory'] is None and isinstance(plain['reflector'], RuleReflector)
    config = Config(agent=AgentConfig(memory=str(tmp_path / 'm.db'), reflection='none'))
    assert (
        isinstance(build_recovery_parts(config)['memory'], FailureMemory)
        and build_recovery_parts(config)['reflector'] is None
    )


def test_a_tilde_in_the_settings_is_the_home_folder(file, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('HOME', str(tmp_path))
    config = tmp_path / 'config.yaml'
    config.write_text('agent: {memory: ~/arm.db}\n', 'utf-8')
    assert memory('list', '--config', config) == 0
    assert 'force=70' in capsys.readouterr().out
