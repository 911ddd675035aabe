# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ROS part of the command line where there is no ROS: help works, use says what to do."""

from __future__ import annotations

import importlib.util
from importlib.metadata import EntryPoint

import pytest

from replan_agent.app.build import plugins
from replan_agent.app.cli import main as cli
from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.ros.commands.ros_commands import main

without_ros = pytest.mark.skipif(importlib.util.find_spec('rclpy') is not None,
                                 reason='rclpy is installed')


@without_ros
@pytest.mark.parametrize(('words', 'command'), [
    (['send', 'go home'], 'send "TASK"'),
])
def test_without_ros_it_says_which_command_brings_it(words, command, capsys):
    assert main(words) == WRONG_USE
    error = capsys.readouterr().err
    assert 'needs ROS 2 (no module named' in error
    assert f'tools/ros run python3 -m replan_agent.ros.commands {command}' in error


def test_the_installed_command_line_finds_the_ros_commands_by_their_entry_point(
    monkeypatch, capsys
):
    found = EntryPoint('ros', 'replan_agent.ros.commands.ros_commands:add_commands',
                       'replan_agent.commands')
    monkeypatch.setattr(plugins, 'installed', lambda group: (found,) * (group == found.group))
    with pytest.raises(SystemExit) as end:
        cli.main(['send', '--help'])
    assert end.value.code == 0
    assert '--namespace' in capsys.readouterr().out
