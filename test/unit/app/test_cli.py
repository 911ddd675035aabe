# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the command line refuses before it begins, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from replan_agent.app.cli import main as cli
from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import INTERRUPTED, WRONG_USE
from replan_agent.text.file_bytes import check_writable

ROOT = Path(__file__).resolve().parents[3]


def refused(words: list[str]) -> int:
    with pytest.raises(SystemExit) as end:
        main(words, [])
    return int(end.value.code or 0)


def test_settings_that_are_not_utf8_are_named(tmp_path, capsys):
    path = tmp_path / 'my.yaml'
    path.write_bytes(b'agent: \xff\xfe')
    assert main(['run', 'x', '--config', str(path)], []) == WRONG_USE
    assert f'{path}: not UTF-8 text' in capsys.readouterr().err


def test_an_invalid_date_in_the_settings_is_named(tmp_path, capsys):
    path = tmp_path / 'my.yaml'
    path.write_text('agent: 2024-13-45')
    assert main(['run', 'x', '--config', str(path)], []) == WRONG_USE
    assert f'{path}: not valid YAML' in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'says'), [
    (['run', 'x', '--seed', '-1'], "--seed: '-1' is not a whole number from 0 up"),
])
def test_a_number_that_cannot_be_is_refused(words, says, capsys):
    assert refused(words) == WRONG_USE
    assert says in capsys.readouterr().err


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr(cli, 'skills', lambda arguments: signal.raise_signal(signal.SIGINT))
    assert main(['skills'], []) == INTERRUPTED
    assert 'interrupted' in capsys.readouterr().err


def test_ctrl_c_that_c_code_turned_into_another_error_is_still_ctrl_c(monkeypatch, capsys):
    def importing(arguments):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise ImportError('initialization failed') from error

    monkeypatch.setattr(cli, 'skills', importing)
    assert main(['skills'], []) == INTERRUPTED
    assert 'interrupted (ImportError)' in capsys.readouterr().err


def test_an_error_without_ctrl_c_is_not_hidden(monkeypatch):
    def broken(arguments):
        raise ImportError('initialization failed')

    monkeypatch.setattr(cli, 'skills', broken)
    with pytest.raises(ImportError):
        main(['skills'], [])


def test_in_the_background_of_a_script_ctrl_c_stays_ignored(monkeypatch):
    monkeypatch.setattr(cli, 'skills', lambda arguments: signal.raise_signal(signal.SIGINT) or 0)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert main(['skills'], []) == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_afterwards_ctrl_c_is_as_before():
    before = signal.getsignal(signal.SIGINT)
    main(['scenes', '--json'], [])
    assert signal.getsignal(signal.SIGINT) is before


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path):
    kept = tmp_path / 'kept.json'
    kept.write_text('{}')
    check_writable(kept)
    check_writable(tmp_path / 'new' / 'b.json')
    assert kept.read_text() == '{}' and not list((tmp_path / 'new').iterdir())


@pytest.mark.parametrize('words', [['pick up the \udcff cube'],
                                   ['pick up the red cube', '--hint', '\udcff']])
def test_words_that_are_no_text_are_wrong_use(words, capsys):
    assert main(['run', *words], plug_ins=()) == 2
    assert capsys.readouterr().err.count('\n') == 1


def test_help_of_all_commands_loads_neither_numpy_nor_mujoco():
    """They take seconds, and the commands of all installed packages are in it."""
    program = ('import sys\nfrom replan_agent.app.cli.main import main\n'
               "try:\n    main(['--help'])\n"
               "finally:\n    sys.stderr.write(repr({'numpy', 'mujoco'} & {*sys.modules}))")
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, 'set()')
    assert 'chat' in ran.stdout
