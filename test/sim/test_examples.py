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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / 'examples'


@pytest.mark.parametrize(('name', 'last_line'), [
    ('hello', 'True plan_complete in(red_cube, bowl)'),
    ('own_skill', "True plan_complete ['wave()']"),
    ('own_planner', 'True plan_complete in(red_cube, bowl), in(blue_cube, bowl)'),
])
def test_an_example_runs(name, last_line, capsys):
    runpy.run_path(str(EXAMPLES / f'{name}.py'), run_name='__main__')
    assert capsys.readouterr().out.splitlines()[-1] == last_line


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
def test_the_notebook_runs_and_shows_pictures(capsys):
    notebook = json.loads((EXAMPLES / 'notebook.ipynb').read_text('utf-8'))
    cells = [''.join(c['source']) for c in notebook['cells'] if c['cell_type'] == 'code']
    names: dict[str, Any] = {}
    shown = [run_cell(cell, names) for cell in cells]
    pictures = [value for value in shown if hasattr(value, '_repr_png_')]
    assert len(pictures) == 2
    assert pictures[0]._repr_png_() != pictures[1]._repr_png_(), 'the cube was moved'
    said = capsys.readouterr().out
    assert 'True plan_complete in(red_cube, bowl)' in said and 'in(blue_cube, bin)' in said


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
