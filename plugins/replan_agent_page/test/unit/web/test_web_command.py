# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The options of `replan-agent web` are checked before anything starts."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import pytest
from replan_agent_page.web import web_command
from replan_agent_page.web.web_command import main

from replan_agent.app.cli.main import parser


def test_without_the_extra_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    real = util.find_spec
    monkeypatch.setattr(web_command, 'find_spec',
                        lambda name: None if name == 'uvicorn' else real(name))
    assert main(['--runs', str(tmp_path)]) == 2
    assert "pip install 'replan_agent_page'" in capsys.readouterr().err


def test_the_help_teaches_by_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(['--help'])
    said = capsys.readouterr().out
    assert end.value.code == 0 and 'replan-agent web --no-arm --runs runs' in said


@pytest.mark.parametrize('words', [['--pace', '-1'], ['--pace', 'nan'], ['--fps', '0'],
                                   ['--port', '70000'], ['--approver', 'console']])
def test_a_wrong_option_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2 and words[0] in capsys.readouterr().err


def test_a_reset_releases_the_latch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'STOPPED').write_text('the cat\n')
    assert main(['--reset-stop', '--runs', str(tmp_path)]) == 0
    assert 'it was stopped: the cat' in capsys.readouterr().out
    assert not (tmp_path / 'STOPPED').exists()


@pytest.mark.parametrize('words', [['--reset-stop', '--runs', 'file'],
                                   ['--reset-stop', '--runs', 'file/below'],
                                   ['--no-arm', '--host', 'a..b'],
                                   ['--no-arm', '--host', 'x' * 300]])
def test_what_cannot_be_used_is_one_sentence(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path('file').touch()
    assert main(words) == 2
    assert capsys.readouterr().err.count('\n') == 1


def test_the_model_of_the_command_line_can_be_chosen_at_the_page() -> None:
    words = ['web', '--model', 'some-model', '--base-url', 'http://127.0.0.1:1/v1']
    arguments = parser([web_command.add_commands]).parse_args(words)
    vlm = web_command._config(arguments).vlm
    assert (vlm.model, vlm.base_url) == ('some-model', 'http://127.0.0.1:1/v1')


def test_another_host_gets_two_different_tokens() -> None:
    arguments = web_command.argparse.Namespace(host='0.0.0.0', tokens=False)
    tokens = web_command._tokens(arguments)
    assert min(len(tokens.watch), len(tokens.act)) >= 32 and tokens.watch != tokens.act
    act, watch = web_command._addresses('http://0.0.0.0:1', tokens)
    assert tokens.act in act and tokens.watch in watch and '/#token=' in act
