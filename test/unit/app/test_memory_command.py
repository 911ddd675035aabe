"""`replan-agent memory`: what a person can do with what the robot remembers."""

from __future__ import annotations

import json

import pytest

from replan_agent.app.build.recovery_parts import build_recovery_parts
from replan_agent.app.cli.main import main
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.domain.recovery import Fix, Situation
from replan_agent.replan.memory.failure_memory import FailureMemory
from replan_agent.replan.memory.memory_store import MemoryStore
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
    return main(['memory', *map(str, words)], plug_ins=())


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


def test_an_import_into_a_memory_that_knows_it_adds_up(file, tmp_path, capsys):
    exported = tmp_path / 'out.json'
    memory('export', exported, '--memory', file)
    memory('import', exported, '--memory', file)
    known = {e.situation.object: e for e in MemoryStore(file).entries()}
    assert (known['red_cube'].worked, known['red_cube'].failed) == (6, 2) and len(known) == 2


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
    assert plain.memory is None and isinstance(plain.reflector, RuleReflector)
    config = Config(agent=AgentConfig(memory=str(tmp_path / 'm.db'), reflection='none'))
    assert (
        isinstance(build_recovery_parts(config).memory, FailureMemory)
        and build_recovery_parts(config).reflector is None
    )


def test_a_tilde_in_the_settings_is_the_home_folder(file, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('HOME', str(tmp_path))
    config = tmp_path / 'config.yaml'
    config.write_text('agent: {memory: ~/arm.db}\n', 'utf-8')
    assert memory('list', '--config', config) == 0
    assert 'force=70' in capsys.readouterr().out
