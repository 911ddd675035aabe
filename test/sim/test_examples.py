# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The examples run and say what they promise."""

from __future__ import annotations

import ast
import json
import re
import runpy
import subprocess
import sys
import types
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from doc_blocks import blocks

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / 'examples'


@pytest.mark.parametrize(('name', 'last_line'), [
    ('hello', 'True plan_complete in(red_cube, bowl)'),
    ('own_skill', "True plan_complete ['wave()']"),
    ('own_planner', 'True plan_complete in(red_cube, bowl), in(blue_cube, bowl)'),
    ('own_arm/own_arm', 'True plan_complete in(red_cube, bowl)'),
    ('own_model', 'True plan_complete vlm:mine 1'),
    ('watch_events', 'True plan_complete'),
    ('move_things', 'True plan_complete with 1 failure'),
    ('resume', "plan_complete ['pick', 'place_on']"),
])
def test_an_example_runs(name, last_line, capsys, monkeypatch, tmp_path):
    assert said_by(name, capsys, monkeypatch, tmp_path)[-1] == last_line


def said_by(name, capsys, monkeypatch, folder, *words):
    """The lines that an example prints, in an empty folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, 'argv', [f'{name}.py', *words])
    runpy.run_path(str(EXAMPLES / f'{name}.py'), run_name='__main__')
    return capsys.readouterr().out.splitlines()


def test_events_are_told_as_they_happen(capsys, monkeypatch, tmp_path):
    said = '\n'.join(said_by('watch_events', capsys, monkeypatch, tmp_path))
    assert 'slipped out' in said and 'policy_decided' in said and 'phase_started' in said


def test_a_likely_plan_is_approved_and_an_unlikely_one_is_not(capsys, monkeypatch, tmp_path):
    said = said_by('ask_chance', capsys, monkeypatch, tmp_path)
    assert 'auto: plan_complete' in said and said[-1] == 'bad_camera: approval_denied'
    assert [re.search(r'in (\d+) of 100', line)[1] > '89' for line in said if 'tries' in line] == [
        True, False]


@pytest.mark.gl
def test_the_camera_of_a_scene_file_is_what_the_arm_sees_with(capsys, monkeypatch, tmp_path):
    *_, cap, tray, last = said_by('own_camera', capsys, monkeypatch, tmp_path)
    assert re.match(r'red_cylinder +at x=0\.4[45]\d y=0\.(09|10)\d ', cap), cap
    assert tray.startswith('bin ') and last == 'True plan_complete in(red_cylinder, bin)'
    assert (tmp_path / 'runs' / 'own_camera.png').stat().st_size > 10_000


@pytest.mark.gl
@pytest.mark.release
def test_frames_of_a_dataset_say_what_fails_and_how_it_is_mended(capsys, monkeypatch, tmp_path):
    said = said_by('lerobot_dataset', capsys, monkeypatch, tmp_path, str(tmp_path / 'slips'))
    assert any(line.endswith('pick/lift, grasp_slipped') for line in said)
    assert any(line.endswith('pick/lift, retry') for line in said)


@pytest.mark.gl
@pytest.mark.release
def test_a_policy_is_judged_in_twins_that_look_alike(capsys, monkeypatch, tmp_path):
    heading, *rows = said_by('own_policy', capsys, monkeypatch, tmp_path, '1')
    assert heading.startswith('trouble') and len(rows) == 6
    assert rows[0].split() == ['moved_mid_pick', 'True', 'True', 'done']
    assert rows[-1].split() == ['taken_away', 'False', 'False', 'impossible']


def test_the_arm_of_the_example_is_that_of_the_tutorial():
    shown = {block.title: block.text for block in blocks(ROOT / 'docs/tutorials/another_arm.md')}
    for name in ('desk_arm.urdf', 'desk_arm.yaml'):
        assert (EXAMPLES / 'own_arm' / name).read_text('utf-8') == shown[name]


def test_every_example_is_in_the_list_of_the_documents():
    listed = set(re.findall(r'^\| `([\w./]+)` \|', (ROOT / 'docs/python.md').read_text('utf-8'),
                            re.MULTILINE))
    there = {f'{path.name}/' if path.is_dir() else path.name for path in EXAMPLES.iterdir()
             if path.suffix in ('.py', '.ipynb') or path.is_dir()} - {'__pycache__/'}
    assert there <= listed


@pytest.mark.skipif(find_spec('rclpy') is not None, reason='ROS 2 is here')
def test_without_ros_the_ros_example_says_in_one_sentence_what_it_needs():
    run = subprocess.run([sys.executable, EXAMPLES / 'call_ros_action.py'], capture_output=True,
                         text=True, cwd=EXAMPLES)
    assert run.returncode == 1
    (sentence,) = run.stderr.splitlines()
    assert sentence.startswith("This example needs ROS 2 (no module named 'rclpy')")


@pytest.mark.parametrize('example', sorted(EXAMPLES.rglob('*.py')), ids=lambda path: path.name)
def test_an_example_needs_only_the_names_that_the_package_lists(example):
    assert 'from replan_agent.' not in example.read_text('utf-8')


def test_the_table_has_a_row_for_each_seed(capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['seeds_table.py', '2'])
    runpy.run_path(str(EXAMPLES / 'seeds_table.py'), run_name='__main__')
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split()[:3] == ['seed', 'success', 'reason']
    assert [row.split()[:3] for row in rows] == [['0', 'True', 'plan_complete'],
                                                 ['1', 'True', 'plan_complete']]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, 'cell', 'exec'), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), 'cell', 'eval'), names)


@pytest.mark.gl
def test_the_notebook_shows_a_failure_its_diagnosis_the_chances_and_the_film(
        capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    display = types.ModuleType('IPython.display')  # every kernel has it
    display.Video = lambda file, embed: Path(file).stat().st_size  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'IPython.display', display)
    notebook = json.loads((EXAMPLES / 'notebook.ipynb').read_text('utf-8'))
    cells = [''.join(c['source']) for c in notebook['cells'] if c['cell_type'] == 'code']
    names: dict[str, Any] = {}
    shown = [run_cell(cell, names) for cell in cells]
    before, after = [value for value in shown if hasattr(value, '_repr_png_')]
    assert before._repr_png_() != after._repr_png_(), 'the cube was lifted'
    assert max(value for value in shown if isinstance(value, int)) > 20_000, 'the film'
    said = capsys.readouterr().out
    assert 'cause:  slipped_in_lift' in said and 'True plan_complete holding(red_cube)' in said
    usual, plain, mended = map(int, re.findall(r'works in (?:fewer than )?(\d+) of 100', said))
    assert usual > 90 and plain < 30 and mended > 90


def test_the_notebook_is_kept_without_outputs():
    notebook = json.loads((EXAMPLES / 'notebook.ipynb').read_text('utf-8'))
    assert all(not cell.get('outputs') for cell in notebook['cells'])


@pytest.mark.parametrize(('document', 'says'), [
    ('README.md', ['True plan_complete in(red_cube, bowl)']),
    ('docs/python.md', ['True plan_complete in(red_cube, bowl)', 'plan_complete']),
])
def test_the_programs_in_the_documents_run(document, says, capsys):
    text = (ROOT / document).read_text('utf-8')
    for program in re.findall(r'^```python\n(.*?)^```', text, re.MULTILINE | re.DOTALL):
        exec(compile(program, document, 'exec'), {'__name__': 'document'})
    assert capsys.readouterr().out.splitlines() == says


def test_the_plug_in_document_shows_the_entry_points_of_the_example():
    (shown,) = re.findall(r'^```toml\n(.*?)^```', (ROOT / 'docs/python.md').read_text('utf-8'),
                          re.MULTILINE | re.DOTALL)
    assert shown in (EXAMPLES / 'small_plugin' / 'pyproject.toml').read_text('utf-8')
