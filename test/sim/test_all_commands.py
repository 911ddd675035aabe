# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands of the core and of all our packages: in the documents, the help and the table."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from itertools import takewhile

import pytest
from doc_blocks import ROOT, WITH_COMMANDS
from our_sources import added_commands

from replan_agent.app.cli.added_commands import _missing
from replan_agent.app.cli.main import EXAMPLES, parser

OPERATORS = {'&', '|', '||', '&&', '>'}
OVER_ROS = {'send'}  # commands that are there when ROS is


def commands(text):
    """Every `replan-agent ...` that stands on a line of its own, continued lines joined."""
    joined = re.sub(r'\\\n\s*', ' ', text)
    for line in re.findall(r'^\s*(?:\.venv[\w-]*/bin/)?replan-agent (.+)$', joined, re.MULTILINE):
        words = list(takewhile(lambda word: word not in OPERATORS,
                               shlex.split(line, comments=True)))
        if words[0] not in OVER_ROS and '--ros' not in words:
            yield words


@pytest.mark.parametrize('document', WITH_COMMANDS, ids=lambda path: path.name)
def test_every_command_in_the_documents_parses(document, small_plugin, rai_plugin,
                                               robosuite_plugin, libero_plugin, vamp_plugin,
                                               on_path):
    on_path(small_plugin)  # docs/python.md uses its planner
    on_path(rai_plugin)  # docs/benchmarks.md uses its suite
    on_path(robosuite_plugin)  # and this one
    on_path(libero_plugin)  # and this one
    on_path(vamp_plugin)  # and this one's motion planner
    libero = import_module('replan_agent_libero.read_command')
    for words in commands(document.read_text(encoding='utf-8')):
        try:
            parser([*added_commands(), libero.add_commands]).parse_args(words)
        except SystemExit as end:
            assert end.code == 0, f'{document.name}: replan-agent {shlex.join(words)}'


def test_the_documents_and_the_help_do_show_commands():
    assert len(list(commands((ROOT / 'docs' / 'models.md').read_text('utf-8')))) >= 5
    for words in commands(EXAMPLES):
        parser(added_commands()).parse_args(words)


def test_every_command_of_our_packages_is_in_the_table():
    def choices(plug_ins):
        return next(a.choices for a in parser(plug_ins)._actions if a.choices)

    missing = {name for name, command in choices(added_commands()).items()
               if command.get_default('command') is _missing}
    assert not missing
    assert choices(added_commands()).keys() == choices(()).keys()
