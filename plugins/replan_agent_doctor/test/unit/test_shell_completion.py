# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripts complete in the shells themselves, as when a person presses TAB."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import SUCCESS, WRONG_USE

BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_shtab_replan_agent replan-agent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
LINES = [
    (['ru'], {'run'}),
    (['doc'], {'doctor'}),
    (['run', '--max-r'], {'--max-replans'}),
    (['run', '--scene', 'kit'], {'kitchen'}),
    (['run', '--planner', ''], {'search', 'stub', 'vlm', 'likeliest'}),
    (['web', '--arm', 'fr3'], {'fr3', 'fr3v2', 'fr3v2_1'}),
    (['read', '--scene', 'own'], {'own.yaml'}),
]


@pytest.fixture
def script(tmp_path, monkeypatch, capsys):
    """The file of a shell, in an empty folder with one scene in it."""
    def of(shell):
        assert main(['completion', shell]) == SUCCESS
        file = tmp_path / f'completion.{shell}'
        file.write_text(capsys.readouterr().out)
        return str(file)

    monkeypatch.chdir(tmp_path)
    (tmp_path / 'own.yaml').touch()
    return of


def lines_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.split('\t')[0] for line in done.stdout.splitlines()}


@pytest.mark.skipif(not shutil.which('bash'), reason='no bash')
def test_bash_completes(script):
    file = script('bash')
    for words, offered in LINES:
        assert lines_of('bash', '-c', BASH, 'bash', file, 'replan-agent', *words) >= offered, words
    (only,) = lines_of('bash', '-c', BASH, 'bash', file, 'replan-agent', 'run', '--scene', 'kit')
    assert only == 'kitchen'


@pytest.mark.skipif(not shutil.which('fish'), reason='no fish')
def test_fish_completes(script):
    file = script('fish')
    for words, offered in LINES:
        line = ' '.join(['replan-agent', *words])
        assert lines_of('fish', '-c', f"source {file}; complete -C '{line}'") >= offered, line


@pytest.mark.skipif(not shutil.which('zsh'), reason='no zsh')
def test_zsh_reads_the_script_and_it_names_the_scenes(script):
    file = script('zsh')
    subprocess.run(['zsh', '-n', file], check=True)
    with open(file, encoding='utf-8') as text:
        assert 'pick_cube tabletop)' in text.read()


def test_the_shell_is_that_of_the_person(monkeypatch, capsys):
    monkeypatch.setenv('SHELL', '/usr/bin/fish')
    assert main(['completion']) == SUCCESS
    assert 'complete -c replan-agent' in capsys.readouterr().out
    monkeypatch.setenv('SHELL', '/bin/dash')
    assert main(['completion']) == WRONG_USE
    assert 'bash, zsh, fish' in capsys.readouterr().err


def test_without_shtab_it_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'shtab', None)
    assert main(['completion', 'bash']) == WRONG_USE
    assert 'pip install shtab' in capsys.readouterr().err
