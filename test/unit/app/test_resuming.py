"""`run --resume`: in which scene an earlier run goes on."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from replan_agent.app.cli.resuming import (
    approver_of_earlier_run,
    keep_approver,
    resume_run,
)
from replan_agent.app.terminal.exits import WrongUse

TASK = 'pick up the red cube'
RESULT = {'task': TASK, 'scene': 'mine', 'seed': 3, 'attempts': [], 'completed': [], 'goals': [],
          'hints': []}


def resumed(folder: Path, scene: str | None = None, **facts: object) -> Namespace:
    (folder / 'result.json').write_text(json.dumps({**RESULT, **facts}))
    arguments = Namespace(resume=folder, task=None, scene=scene, seed=None, hint=[])
    resume_run(arguments)
    return arguments


def test_task_scene_and_seed_are_those_of_the_earlier_run(tmp_path):
    found = resumed(tmp_path)
    assert (found.task, found.scene, found.seed) == (TASK, 'mine', 3)


def test_a_run_in_a_scene_file_goes_on_in_that_file(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('')
    assert resumed(tmp_path, scene_file=str(file)).scene == str(file)


def test_a_scene_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(WrongUse, match=r'gone\.yaml is gone'):
        resumed(tmp_path, scene_file=str(tmp_path / 'gone.yaml'))


def test_the_scene_of_the_command_line_comes_first(tmp_path):
    assert resumed(tmp_path, 'tabletop', scene_file='gone.yaml').scene == 'tabletop'


@pytest.mark.parametrize(('configured', 'earlier', 'kept'), [
    ('auto', 'console', 'console'), ('auto', 'adaptive', 'adaptive'), ('auto', 'none', 'none'),
    ('none', 'auto', 'none'), ('auto', 'auto', 'auto'), ('auto', '', 'auto'),
    ('console', 'remote', 'console')])
def test_a_continued_run_is_never_approved_more_leniently(configured, earlier, kept):
    assert keep_approver(None, configured, earlier) == kept


def test_a_more_lenient_approver_on_the_command_line_is_refused():
    with pytest.raises(WrongUse, match='--approver auto is more lenient than console'):
        keep_approver('auto', 'none', 'console')
    assert keep_approver('console', 'auto', 'adaptive') == 'console'


def test_who_approved_is_read_from_the_result(tmp_path):
    resumed(tmp_path, approver='console')
    assert approver_of_earlier_run(tmp_path) == 'console'
    resumed(tmp_path)
    assert approver_of_earlier_run(tmp_path) == '' and approver_of_earlier_run(None) == ''
