# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent read`: what a sentence means, without a world."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from replan_agent import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.main import main
from replan_agent.app.reading.refused_task import refused_task
from replan_agent.record.run_folder import as_json


def test_a_sentence_is_said_back_with_its_goals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['read', 'put the red cube 5 cm from the bin'], ()) == 0
    assert capsys.readouterr().out.splitlines() == [
        'understood: The red cube should be 5 cm from the bin.',
        'goals:      near(red_cube, bin, 0.05 m)']


@pytest.mark.parametrize(('task', 'said'), [
    ('put the cube in the bowl', "which one is 'the cube'?"),
    ('wibble the cube', '"wibble"')])
def test_a_question_or_the_word_that_does_not_fit_is_named(
        task: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['read', task, '--json'], ()) == 1
    told = json.loads(capsys.readouterr().out)
    assert said in told['not_understood'] and told['goals'] == [] and told['understood'] == ''


def test_no_world_is_built() -> None:
    code = ("import sys; from replan_agent.app.cli.main import main; "
            "main(['read', 'tidy up'], ()); "
            "sys.exit('mujoco' in sys.modules)")
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


def test_what_the_sentence_may_mean_is_listed_as_sentences(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['read', 'put the cube in the bowl', '--json'], ()) == 1
    assert json.loads(capsys.readouterr().out)['other_readings'] == [
        'put the red cube in the bowl', 'put the blue cube in the bowl']


def test_what_is_left_alone_is_said_and_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    said = 'The red cube should be in the bowl, without touching the bin and the blue cube.'
    for task in ('put the red cube in the bowl and leave the bin and the blue cube alone', said):
        assert main(['read', task], ()) == 0
        assert capsys.readouterr().out.splitlines()[0] == f'understood: {said}'


@pytest.mark.parametrize('task', [
    'put the bar in the bowl, then in the bin',
    'first put the bar in the bowl, then put it in the bin',
    'The yellow bar should be in the bowl, then the yellow bar should be in the bin.'])
def test_a_place_on_the_way_is_said_and_reads_back(
        task: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['read', task], ()) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        'understood: The yellow bar should be in the bowl, then the yellow bar should be in the '
        'bin.')


def test_a_written_call_is_checked_as_every_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['read', 'pick(object=red_cube)'], ()) == 0
    assert capsys.readouterr().out == 'understood: pick(object=red_cube)\n'
    assert main(['read', 'pick(thing=red_cube)'], ()) == 1
    assert "'object' is a required property" in capsys.readouterr().out


def test_steps_are_not_searched_for_if_goals_say_what_is_meant(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent.plan.search.search_planner.actions_for', None)
    assert main(['read', 'put the red cube in the bowl'], ()) == 0


@pytest.mark.parametrize('task', ['wibble the cube', 'put the lemon in the bowl', 'stop'])
def test_a_run_that_its_words_refuse_builds_no_world_and_says_the_same(
        task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    with Simulation('tabletop') as sim:
        there = sim.run(task)
    monkeypatch.setattr('replan_agent.app.build.compose.Simulation', None)
    assert main(['run', task, '--out', str(tmp_path), '--json'], ()) == 1
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / 'result.json').read_text())
    assert {**told, 'timings': {}} == {**json.loads(as_json(there.as_dict())), 'timings': {}}


def test_what_a_person_can_answer_needs_the_world() -> None:
    asked = functools.partial(refused_task, 'put the cube in the bowl', 'tabletop', 0,
                              load_config(), None)
    assert asked(can_answer=True) is None
    assert asked(can_answer=False) is not None


def test_what_only_a_look_can_tell_is_not_refused_before_it() -> None:
    config = replace(load_config(), perception='camera')
    assert refused_task('put the lemon in the bowl', 'tabletop', 0, config, None, False) is None
