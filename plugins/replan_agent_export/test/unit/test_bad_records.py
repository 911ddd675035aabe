# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bad files and arguments of `plans` and `memory`: one short sentence and exit status 2."""

from __future__ import annotations

import json

import pytest
from bad_files import JSON, refused, written
from replan_agent_export.export_command import add_commands
from replan_agent_memory.memory_command import add_commands as add_memory

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE

PLUG_INS = (add_commands, add_memory)
STEP = {'step_number': 1, 'skill': 'pick', 'args': {}, 'description': '', 'expected_change': ''}
PLAN = {'version': 1, 'task': 't', 'steps': [STEP], 'goals': [], 'cause': 'initial',
        'parent': None, 'scene_id': 's', 'planner': 'stub'}
WRONG_IN_PLANS = [
    {'version': []}, {'version': 'x'}, {'task': 5}, {'cause': 'zz'}, {'context': 5}, {'steps': 5},
    {'steps': [{**STEP, 'skill': 5}]}, {'steps': [{**STEP, 'args': 5}]}, {'parent': 'x'},
    {'goals': [{'predicate': 'in', 'object': 5, 'target': [], 'position': None}]},
    {'goals': [{'predicate': 'at', 'object': 'a', 'target': '', 'position': ['a', None]}]}]


@pytest.mark.parametrize('text', JSON.values(), ids=JSON)
def test_a_json_file_that_cannot_be_used(tmp_path, capsys, text):
    path = written(tmp_path, 'bad.json', text)
    for command in (['plans', path],
                    ['memory', 'import', path, '--memory', str(tmp_path / 'm.db')]):
        assert path in refused(capsys, *command, plug_ins=PLUG_INS)


@pytest.mark.parametrize('wrong', WRONG_IN_PLANS)
def test_a_plan_with_values_of_the_wrong_kind(tmp_path, capsys, wrong):
    path = written(tmp_path, 'result.json', json.dumps({'plans': [{**PLAN, **wrong}]}))
    assert path in refused(capsys, 'plans', path, plug_ins=PLUG_INS)


@pytest.mark.parametrize('path', ['.', 'x' * 5000, '/dev/zero', '\udcff'])
def test_a_path_that_leads_nowhere(tmp_path, capsys, path):
    for command in (['plans', path],
                    ['memory', 'import', path, '--memory', str(tmp_path / 'm.db')]):
        refused(capsys, *command, plug_ins=PLUG_INS)


@pytest.mark.parametrize('number', ['9' * 5000, '9' * 400, '-1', '²', 'nan', '1.5', ''])
def test_a_number_that_is_none(tmp_path, capsys, number):
    for command in (['memory', 'show', number, '--memory', str(tmp_path / 'm.db')],
                    ['plans', '.', '--diff', number, '1']):
        with pytest.raises(SystemExit) as ended:
            main(command, plug_ins=PLUG_INS)
        assert ended.value.code == WRONG_USE and len(capsys.readouterr().err) < 3000
