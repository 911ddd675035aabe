"""`replan-agent read`: what a sentence means, without a world."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from replan_agent.app.cli.main import main


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
