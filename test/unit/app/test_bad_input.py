"""Bad files and arguments: one short sentence and exit status 2, whatever they are."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE, WrongUse
from replan_agent.app.terminal.outputs import check_writable
from replan_agent.domain.config import ConfigError
from replan_agent.vlm.recorded import RecordingModel

YAML = {'date': 'x: 2024-13-45', 'tag': 'x: !!int a', 'digits': 'x: ' + '9' * 400,
        'deep': '[' * 100_000, 'escape': '"\\e[31m": 1', 'twice': 'planner: stub\nplanner: vlm',
        'bomb': 'a: &a [x, x]\n' + ''.join(f'{c}: &{c} [{", ".join([f"*{p}"] * 10)}]\n'
                                           for p, c in zip('abcdefgh', 'bcdefghi')),
        'list': '- a', 'bytes': b'\xff\xfe\x00'}
JSON = {'deep': '[' * 100_000, 'nested': '{"plans": [' + '[' * 800 + ']' * 800 + ']}',
        'digits': '{"seed": ' + '9' * 400 + '}', 'nan': '{"plans": NaN}', 'empty': '',
        'list': '[]', 'bytes': b'\xff\xfe\x00', 'surrogate': '{"task": "\\ud800"}'}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Commands may leave folders where they run."""
    monkeypatch.chdir(tmp_path)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that ends with wrong use; one short line."""
    assert main(arguments, plug_ins=()) == WRONG_USE
    said = capsys.readouterr()
    assert said.out == '' and said.err.count('\n') == 1 and len(said.err) < 1100
    return said.err


def written(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize('text', YAML.values(), ids=YAML)
def test_a_yaml_file_that_cannot_be_used(tmp_path, capsys, text):
    path = written(tmp_path, 'bad.yaml', text)
    assert path in refused(capsys, 'run', 'pick up the red cube', '--config', path)
    assert path in refused(capsys, 'run', 'pick up the red cube', '--scene', path)


@pytest.mark.parametrize('text', JSON.values(), ids=JSON)
def test_a_json_file_that_cannot_be_used(tmp_path, capsys, text):
    path = written(tmp_path, 'bad.json', text)
    for command in (['run', '--resume', path],
                    ['run', 'pick up the red cube', '--planner', 'vlm', '--replay-model', path]):
        assert path in refused(capsys, *command)


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


def test_a_pipe_or_a_device_is_never_replaced_by_a_file(tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    with pytest.raises(WrongUse, match='a device or a pipe'):
        check_writable(pipe)
    with pytest.raises(ConfigError, match='a device or a pipe'):
        RecordingModel(None, pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
