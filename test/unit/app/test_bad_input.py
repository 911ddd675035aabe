# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bad files and arguments: one short sentence and exit status 2, whatever they are."""

from __future__ import annotations

import os
import stat

import pytest
from bad_files import JSON, refused, written

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import check_writable

YAML = {'date': 'x: 2024-13-45', 'tag': 'x: !!int a', 'digits': 'x: ' + '9' * 400,
        'deep': '[' * 100_000, 'escape': '"\\e[31m": 1', 'twice': 'planner: stub\nplanner: vlm',
        'bomb': 'a: &a [x, x]\n' + ''.join(f'{c}: &{c} [{", ".join([f"*{p}"] * 10)}]\n'
                                           for p, c in zip('abcdefgh', 'bcdefghi')),
        'list': '- a', 'bytes': b'\xff\xfe\x00'}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Commands may leave folders where they run."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize('text', YAML.values(), ids=YAML)
def test_a_yaml_file_that_cannot_be_used(tmp_path, capsys, text):
    path = written(tmp_path, 'bad.yaml', text)
    assert path in refused(capsys, 'run', 'pick up the red cube', '--config', path)
    assert path in refused(capsys, 'run', 'pick up the red cube', '--scene', path)


@pytest.mark.parametrize('text', JSON.values(), ids=JSON)
def test_a_json_file_that_cannot_be_used(tmp_path, capsys, text):
    path = written(tmp_path, 'bad.json', text)
    assert path in refused(capsys, 'run', '--resume', path)


@pytest.mark.parametrize('path', ['.', 'x' * 5000, '/dev/zero', '\udcff'])
def test_a_path_that_leads_nowhere(capsys, path):
    for command in (['run', 'x', '--config', path], ['run', 'x', '--scene', f'{path}.yaml'],
                    ['run', '--resume', path]):
        refused(capsys, *command)


@pytest.mark.parametrize('number', ['9' * 5000, '9' * 400, '-1', '²', 'nan', '1.5', ''])
def test_a_number_that_is_none(capsys, number):
    for command in (['run', 'x', '--seed', number], ['run', 'x', '--max-replans', number]):
        with pytest.raises(SystemExit) as ended:
            main(command, plug_ins=())
        assert ended.value.code == WRONG_USE and len(capsys.readouterr().err) < 3000


@pytest.mark.parametrize('task', ['', '  ', '\udcff'])
def test_a_task_without_words(capsys, task):
    refused(capsys, 'run', task)


@pytest.mark.parametrize('command', [['scenes', ''], ['run', 'go home', ''], ['skills', '  ']])
def test_an_empty_word_too_many(capsys, command):
    with pytest.raises(SystemExit) as ended:
        main(command, plug_ins=())
    assert ended.value.code == WRONG_USE and 'unrecognized' in capsys.readouterr().err


def test_nobody_waits_for_a_pipe(tmp_path, capsys):
    pipe = tmp_path / 'pipe.yaml'
    os.mkfifo(pipe)
    for command in (['run', 'x', '--config', str(pipe)], ['run', 'x', '--scene', str(pipe)],
                    ['run', '--resume', str(pipe)]):
        assert 'pipe.yaml' in refused(capsys, *command)


def test_a_pipe_or_a_device_is_never_replaced_by_a_file(tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match='a device or a pipe'):
        check_writable(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
