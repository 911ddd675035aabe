# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command line as a person uses it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import pytest
from replan_agent_bench.scripted.scripted_server import FakeModelServer

from replan_agent import Skill, SkillSpec, succeeded
from replan_agent.app.build import skill_set
from replan_agent.app.cli.main import main
from replan_agent.execute.registry import Registry


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def result_in(folder: Path) -> dict:
    return json.loads((folder / 'result.json').read_text(encoding='utf-8'))


def test_a_task_that_succeeds_exits_with_0_and_leaves_its_story(capsys):
    assert main(['run', 'put the red cube in the bowl', '--out', 'r']) == 0
    printed = capsys.readouterr().out
    assert 'PLAN: task=' in printed and "EXECUTE: pick({'object': 'red_cube'})" in printed
    assert 'VERIFY: in(red_cube, bowl): met' in printed and 'FINAL VERDICT' in printed
    result = result_in(Path('r'))
    assert result['success'] and result['perception'] == 'ground_truth' and result['seed'] == 0
    assert 'mujoco' in result['versions'] and len(result['plans']) == 1
    events = [json.loads(line)['event'] for line in Path('r/events.jsonl').read_text().split('\n')
              if line]
    assert events[0] == 'task_started' and events[-1] == 'task_finished'


def test_a_task_that_fails_exits_with_1_and_says_why(capsys):
    assert main(['run', 'pick up the red cube', '--scene', 'far_cube', '--max-replans', '1']) == 1
    assert 'replan_exhausted' in capsys.readouterr().out


@pytest.mark.parametrize(('arguments', 'says'), [
    (['run', 'x', '--scene', 'nowhere'], 'tabletop'),
    (['run', 'x', '--config', 'missing.yaml'], 'missing.yaml'),
    (['run', 'x', '--max-replans', '500'], 'max_replans'),
    (['run', 'pick up the red cube', '--video', 'film.avi'], '.mp4'),
    (['run', 'pick up the red cube', '--planner', 'vlm'], 'model'),
])
def test_wrong_use_exits_with_2_and_names_what_is_allowed(arguments, says, capsys):
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


def test_a_wrong_key_in_a_settings_file_is_named_with_the_file(capsys):
    Path('my.yaml').write_text('agent:\n  max_replan: 2\n')
    assert main(['run', 'x', '--config', 'my.yaml']) == 2
    error = capsys.readouterr().err
    assert 'my.yaml' in error and "'max_replan'" in error and 'max_replans' in error


def test_json_prints_the_result_and_nothing_else(capsys):
    main(['run', 'pick up the red cube', '--json', '--out', 'r'])
    assert json.loads(capsys.readouterr().out) == result_in(Path('r'))


def test_scenes_and_skills_list_what_there_is(capsys):
    assert main(['scenes', '--json']) == 0
    assert {'tabletop', 'far_cube'} <= {s['name'] for s in json.loads(capsys.readouterr().out)}
    assert main(['skills', '--json']) == 0
    assert {'pick', 'place_on', 'push'} <= {s['name'] for s in json.loads(capsys.readouterr().out)}
    assert main(['skills']) == 0
    listed = capsys.readouterr().out
    assert 'Effect: the object is in the gripper.' in listed
    assert '      object: name of the object (needed)\n' in listed
    assert '      force: N to hold it with (10 to 70, usually 40)\n' in listed


class Plain(Skill):
    spec = SkillSpec('plain', 'It has no example.', {'type': 'object'})

    def run(self, call):
        return succeeded()

    def verify(self, call):
        return succeeded()


def test_a_skill_without_an_example_is_listed_by_its_name(capsys, monkeypatch):
    monkeypatch.setattr(skill_set, 'skill_set', lambda *named, **how: Registry([Plain()]))
    assert main(['skills']) == 0
    assert capsys.readouterr().out.startswith('plain\n    It has no example.\n')


def test_the_demos_second_act_proves_that_the_task_is_impossible_and_stops(capsys, monkeypatch):
    monkeypatch.setenv('COLUMNS', '40')
    assert main(['demo', '--act', '2', '--no-video', '--out', 'd']) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('Act 2: a task that cannot be done: the cube is 1.2 m away\n')
    assert printed.count('EXECUTE:') == 1 and 'nothing more is tried' in printed
    assert re.search(r'^  why: +the target is 1\.\d\d m from the base', printed, re.M)
    assert re.search(r'^  would help: +any point within 0\.\d\d m', printed, re.M)
    assert re.search(r'^  saved: +d/2-far_cube/: .*report.html', printed, re.M)


def test_the_act_replan_tries_the_same_three_times_and_ends_with_the_verdict_block(capsys):
    assert main(['demo', '--act', 'replan', '--no-video', '--out', 'd']) == 0
    printed = capsys.readouterr().out
    cycles, verdict = printed.split('again.\n')[1].split('\n\nFINAL VERDICT')
    first, understood, *rest = cycles.splitlines()
    assert understood == 'PLAN: understood: The red cube should be in the gripper.'
    assert [first, *rest] == [line for k in range(3) for line in (
        f"PLAN: task='pick up the red cube' replan={k}", "EXECUTE: pick({'object': 'red_cube'})")]
    for row in (r'success: +False', r'replans: +2', r'steps: +3',
                r'final reason: replan_exhausted',
                r'detail: +pick failed: unreachable — IK did not converge in 400 iters '
                r'\(pos_err=0\.\d{4}m > tol=0\.001m\)', r'wall: +\d+\.\ds'):
        assert re.search(rf'^  {row}', verdict, re.M), row


@pytest.mark.gl
def test_the_demos_third_act_replans_from_a_fresh_picture_when_the_cube_is_moved(capsys):
    assert main(['demo', '--no-video', '--out', 'd']) == 0
    first_acts, third_act = capsys.readouterr().out.split('Act 3')
    assert 'Act 1' in first_acts and 'Act 2' in first_acts and 'Act replan' not in first_acts
    assert 'grasp missed' in third_act and 'replan=1' in third_act
    result = result_in(Path('d/3-tabletop'))
    assert result['success'] and result['replans'] == 1 and result['perception'] == 'camera'


@pytest.mark.gl
def test_the_film_of_a_task_out_of_reach_shows_the_reach_and_the_target(capsys, monkeypatch):
    monkeypatch.setattr('replan_agent_export.film.WIDTH', 320)  # a quarter of the time
    monkeypatch.setattr('replan_agent_export.film.HEIGHT', 240)
    main(['run', 'pick up the red cube', '--scene', 'far_cube', '--video', 'f.mp4'])
    assert 'f.mp4\n' in capsys.readouterr().out.split('saved:')[1]
    film = cv2.VideoCapture('f.mp4')
    frames = []
    while (read := film.read())[0]:
        frames.append(read[1].astype(int))
    green = [int((2 * f[..., 1] - f[..., 0] - f[..., 2] > 100).sum()) for f in frames]
    assert len(frames) > 40 and green[-1] > green[0] + 125  # the ring at the end of the reach


def test_ctrl_c_ends_cleanly_with_cancelled_on_disk(tmp_path):
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    # The model hangs, so the task is surely under way when the signal comes.
    with FakeModelServer(misbehave=['hang']) as model:
        process = subprocess.Popen(
            [sys.executable, '-m', 'replan_agent.app.cli.main', 'run', 'pick up the red cube',
             '--planner', 'vlm', '--model', 'x', '--base-url', model.base_url, '--out', 'r'],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, 'PYTHONPATH': str(Path(__file__).parents[2]),
                 'PYTHONUNBUFFERED': '1'})
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith('PLAN:'):
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 1
    result = result_in(tmp_path / 'r')
    assert result['final_reason'] == 'cancelled' and 'SIGINT' in result['final_detail']
