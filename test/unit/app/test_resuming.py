"""`run --resume`: in which scene an earlier run goes on."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from replan_agent.app.cli.resuming import resume_run
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
