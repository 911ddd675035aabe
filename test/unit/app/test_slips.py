# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slips at the command line and in files: what was meant is asked, what is wrong is said once."""

from __future__ import annotations

import pytest

from replan_agent.app.cli.main import main
from replan_agent.domain.config import ConfigError
from replan_agent.text.yaml_text import yaml_values


@pytest.mark.parametrize(('words', 'hint'), [
    (['runn', 'pick up the red cube'], "did you mean 'run'?"),
    (['run', 'pick up the red cube', '--sceen', 'tabletop'], "did you mean '--scene'?"),
    (['read', 'pick up the red cube', '--resume', 'runs/x'],
     'an option of run only: unrecognized arguments: --resume'),
    (['run', 'pick up the red cube', '--planner', 'serch'], "did you mean 'search'?"),
])  # fmt: skip
def test_a_slip_in_a_command_an_option_or_a_choice_is_asked_about(words, hint, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2 and hint in capsys.readouterr().err


def test_what_is_like_nothing_gets_no_hint(capsys):
    with pytest.raises(SystemExit):
        main(['run', 'x', '--zzzz'])
    assert 'did you mean' not in capsys.readouterr().err


def test_a_slip_in_the_name_of_a_scene_is_asked_about(capsys):
    assert main(['run', 'pick up the red cube', '--scene', 'tabeltop']) == 2
    assert "did you mean 'tabletop'?" in capsys.readouterr().err


def test_a_file_where_the_folder_of_a_run_should_be_is_called_a_file(tmp_path, capsys):
    (tmp_path / 'desk.yaml').write_text('objects: []\n')
    assert main(['run', 'pick up the red cube', '--out', str(tmp_path / 'desk.yaml')]) == 2
    assert 'desk.yaml: it is a file, not a folder' in capsys.readouterr().err


@pytest.mark.parametrize(('text', 'line'), [
    (b'name: a\nrobot: {model: panda\nobjects: []\n', 2),
    (b'name: a\nobjects: [1, 2\ntable:\n  height: 0\n', 2),
    (b'name: a\ndescription: "not closed\nobjects: []\n', 2)])
def test_what_is_not_closed_is_reported_where_it_opens(text, line):
    with pytest.raises(ConfigError, match=f'line {line}: '):
        yaml_values(text, 'desk.yaml')
