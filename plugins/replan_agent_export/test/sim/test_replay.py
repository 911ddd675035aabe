# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run is the same again, bit for bit; whatever was changed in it is found."""

from __future__ import annotations

import json
import shutil

import pytest

from replan_agent import Context, Simulation
from replan_agent.app.cli.main import main
from replan_agent.record.motion_file import MOTION

TASK = 'put the red cube in the bowl'


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    out = tmp_path_factory.mktemp('replay') / 'run'
    assert Simulation('tabletop', seed=3).run(TASK, out=out)
    return out


@pytest.fixture
def run(recorded, tmp_path):
    return shutil.copytree(recorded, tmp_path / 'run')


def changed(file, change):
    """Rewrite a file of JSON lines; `change` may alter each line, with its number."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for number, line in enumerate(lines):
        change(number, line)
    file.write_text(''.join(json.dumps(line) + '\n' for line in lines))


def in_events(run, kind, change):
    changed(run / 'events.jsonl', lambda _, line: line['event'] == kind and change(line))


def test_a_run_is_the_same_again_bit_for_bit(run, capsys):
    assert main(['replay', str(run), '--json']) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    lines = (run / MOTION).read_text().splitlines()
    assert found['same'] and found['until'] == '' and not said.err
    assert found['steps'] == 2 and found['samples'] == len(lines) - 1 > 100


def test_a_joint_that_was_changed_in_its_last_digits_is_found(run, capsys):
    def nudge(number, line):
        if number == 70:
            line['q'][3] += 1e-12

    changed(run / MOTION, nudge)
    assert main(['replay', str(run)]) == 1
    at = json.loads((run / MOTION).read_text().splitlines()[70])['t']
    assert f'first difference at {at:.3f} s, in step 1, pick' in (said := capsys.readouterr().out)
    assert 'joints 4 was' in said


def test_a_thing_that_was_elsewhere_is_found(run, capsys):
    in_events(run, 'scene_perceived',
              lambda line: line['scene']['objects'][1]['pose']['position'].__setitem__(0, 0.5))
    assert main(['replay', str(run)]) == 1
    assert 'at look 1: scene objects red_cube pose position 1 was 0.5' in capsys.readouterr().out


def test_another_scene_is_found_at_the_start(run, capsys):
    in_events(run, 'task_started',
              lambda line: line['facts'].update(scene='pick_cube', scene_file=''))
    assert main(['replay', str(run)]) == 1
    assert 'first difference at 0.000 s, at look 1' in capsys.readouterr().out


def test_an_outcome_that_was_changed_is_found(run, capsys):
    in_events(run, 'step_finished', lambda line: line['result'].update(success=False))
    assert main(['replay', str(run)]) == 1
    assert 'outcome success was False and is True' in capsys.readouterr().out


def test_a_step_that_was_changed_is_found(run, capsys):
    in_events(run, 'step_started', lambda line: line['step'].update(args={'object': 'blue_cube'})
              if line['step']['skill'] == 'pick' else None)
    assert main(['replay', str(run)]) == 1
    assert 'in step 1, pick(object=blue_cube)' in capsys.readouterr().out


def test_a_run_that_was_killed_is_compared_as_far_as_it_got(run, capsys):
    text = (run / 'events.jsonl').read_text()
    (run / 'events.jsonl').write_text(text[:text.index('"phase": "lower"') + 5])
    (run / 'result.json').unlink()
    assert main(['replay', str(run)]) == 0
    assert '1 step, 2 looks' in (said := capsys.readouterr().out)
    assert 'the record ends in a step' in said


def test_other_versions_are_a_warning(run, capsys):
    in_events(run, 'task_started', lambda line: line['facts']['versions'].update(mujoco='2.1'))
    assert main(['replay', str(run)]) == 0
    assert 'warning: mujoco: 2.1 then, ' in capsys.readouterr().err


def test_the_second_task_in_a_world_is_refused(tmp_path, capsys):
    simulation = Simulation('tabletop')
    simulation.robot.pass_time(0.1, Context())
    simulation.run('go home', out=tmp_path / 'run')
    assert main(['replay', str(tmp_path / 'run')]) == 2
    assert 'only the first one has a fresh world' in capsys.readouterr().err


def test_what_cannot_be_replayed_is_one_sentence(run, tmp_path, capsys):
    in_events(run, 'task_started', lambda line: line['facts'].update(robot='ros'))
    (tmp_path / 'empty').mkdir()
    for path, why in ((run, 'not a run of the embedded simulation'),
                      (tmp_path / 'empty', 'not the folder of a run'),
                      (tmp_path / 'none', 'there is no such run')):
        assert main(['replay', str(path)]) == 2
        said = capsys.readouterr().err
        assert why in said and said.count('\n') == 1
