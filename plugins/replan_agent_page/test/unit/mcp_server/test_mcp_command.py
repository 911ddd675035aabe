# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent mcp`: what it refuses before anything starts, and the reset of a stop."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from replan_agent_page.mcp_server import mcp_command
from replan_agent_page.mcp_server.mcp_command import TOKEN, main

from replan_agent.app.terminal.exits import SUCCESS, WRONG_USE

LONG = 'a token of more than sixteen characters'


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(TOKEN, raising=False)


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == WRONG_USE
    return capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(mcp_command, 'find_spec',
                        lambda name: None if name.startswith('mcp') else real(name))
    assert "pip install 'replan_agent_page[mcp]'" in refusal(capsys)


def test_the_console_cannot_approve_over_stdio(capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, '--approver', 'console')
    assert 'the input is the protocol' in said and '--http' in said and 'adaptive' in said


def test_the_console_cannot_approve_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert 'not a terminal' in refusal(capsys, '--approver', 'console', '--http')


@pytest.mark.parametrize('host', ['0.0.0.0', '192.168.1.5', '::', 'lab-pc', '::ffff:10.0.0.1'])
def test_an_address_that_others_reach_needs_a_token(capsys: pytest.CaptureFixture[str], host: str
                                                    ) -> None:
    said = refusal(capsys, '--http', '--host', host)
    assert '--token-file' in said and TOKEN in said


def test_a_short_token_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'token').write_text('hunter2\n')
    assert '7 characters' in refusal(capsys, '--http', '--token-file', 'token')
    (tmp_path / 'token').write_text('\n')
    assert '0 characters' in refusal(capsys, '--http', '--token-file', 'token')
    monkeypatch.setenv(TOKEN, 'short')
    assert '5 characters' in refusal(capsys, '--http')


def test_a_token_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 'nowhere.txt' in refusal(capsys, '--http', '--token-file', 'nowhere.txt')


def test_a_folder_that_cannot_be_written_is_named(capsys: pytest.CaptureFixture[str],
                                                  tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    assert '--runs file/runs' in refusal(capsys, '--runs', 'file/runs')


def test_a_person_resets_a_stop(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / 'r').mkdir()
    (tmp_path / 'r' / 'STOPPED').write_text('smoke\n')
    assert main(['--reset-stop', '--runs', 'r']) == SUCCESS
    assert 'it was stopped: smoke' in capsys.readouterr().out
    assert not (tmp_path / 'r' / 'STOPPED').exists()


def test_the_help_teaches_how_to_connect_and_what_is_safe(capsys: pytest.CaptureFixture[str]
                                                          ) -> None:
    with pytest.raises(SystemExit):
        main(['--help'])
    said = capsys.readouterr().out
    assert 'claude mcp add' in said and '--reset-stop' in said
    assert 'No tool approves a plan' in said


def test_without_ros_it_says_what_is_missing(capsys: pytest.CaptureFixture[str],
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    def no_rclpy(name: str, *rest: Any) -> Any:
        if name.startswith('replan_agent.ros'):
            raise ModuleNotFoundError("No module named 'rclpy'", name='rclpy')
        return real(name, *rest)

    real = __import__
    monkeypatch.setattr('builtins.__import__', no_rclpy)
    assert '--ros needs ROS 2' in refusal(capsys, '--ros')
