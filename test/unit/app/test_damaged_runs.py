# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`run --resume`: a run with damaged files is named before anything moves."""

from __future__ import annotations

import json

import pytest

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE

RESULT = {'task': 'pick up the red cube', 'scene': 'tabletop', 'seed': 3, 'attempts': [],
          'completed': [], 'goals': [], 'hints': []}


@pytest.mark.parametrize(('change', 'says'), [
    ({'seed': None}, 'seed: must be int, not None'),
    ({'seed': -1}, 'seed: must be 0 or more'),
    ({'scene': 5}, 'scene: must be str, not 5'),
    ({'task': None}, 'task: must be str, not None'),
    ({'hints': 5}, 'hints: not the format of this version'),
    ({'hints': 'abc'}, 'hints: not the format of this version'),
    ({'completed': None}, 'completed: not the format of this version'),
    ({'completed': [1]}, 'completed: not the format of this version'),
], ids=str)
def test_a_damaged_result_is_refused_with_its_name(tmp_path, change, says, capsys):
    path = tmp_path / 'result.json'
    path.write_text(json.dumps({**RESULT, **change}))
    assert main(['run', '--resume', str(path)], []) == WRONG_USE
    assert f'{path}: {says}' in capsys.readouterr().err


GOOD_PLAN = {'version': 1, 'task': 't', 'steps': [], 'goals': [], 'cause': 'initial',
             'parent': None, 'scene_id': 's', 'planner': 'stub'}


@pytest.mark.parametrize(('change', 'says'), [
    ({'plans': [{**GOOD_PLAN, 'version': 'x'}]}, 'version: int expected, not str'),
    ({'plans': [{**GOOD_PLAN, 'context': []}]}, 'context: dict expected, not list'),
    ({'proofs': [{'step': {}}]}, 'step: step_number: it is missing'),
    ({'approvals': [{'approver': 5}]}, 'approver: str expected, not int'),
    ({'settings': [1]}, 'settings: must be dict, not [1]'),
    ({'settings': {'planner': 'stub', 'agent': {'max_replans': -1}}}, 'max_replans: -1 is'),
    ({'attempts': [{'step_idx': 'x' * 5000}]}, 'step_idx: int expected, not str'),
], ids=str)
def test_what_is_restored_is_checked_before_anything_moves(tmp_path, change, says, capsys):
    path = tmp_path / 'result.json'
    path.write_text(json.dumps({**RESULT, **change}))
    assert main(['run', '--resume', str(path)], []) == WRONG_USE
    error = capsys.readouterr().err
    assert says in error and str(path) in error and len(error) < 600
