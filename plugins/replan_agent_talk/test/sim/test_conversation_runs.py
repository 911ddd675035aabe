# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A conversation with real physics: what is said is done, and is told as it is."""

from __future__ import annotations

import io
import math
import sys

from replan_agent_talk import Talk

from replan_agent import Simulation
from replan_agent.app.cli.main import main


def place(sim: Simulation, name: str) -> tuple[float, float]:
    (x, y, _), = (o.position for o in sim.world.true_objects() if o.name == name)
    return x, y


def test_an_answer_a_correction_and_an_undo_move_what_is_meant():
    with Simulation('tabletop') as sim:
        talk = Talk(sim)
        red, blue = place(sim, 'red_cube'), place(sim, 'blue_cube')
        assert talk.say('put the cube in the bowl').asks and place(sim, 'red_cube') == red
        assert talk.say('the left one').result.success
        bowl = place(sim, 'bowl')
        assert math.dist(place(sim, 'red_cube'), bowl) < 0.06
        assert talk.say('no, the blue one').result.success
        assert math.dist(place(sim, 'blue_cube'), bowl) < 0.06
        assert 'the red cube and the blue cube' in talk.say('what is in the bowl?').text
        assert talk.say('undo that').result.success and talk.say('undo that').result.success
        assert math.dist(place(sim, 'red_cube'), red) < 0.03
        assert math.dist(place(sim, 'blue_cube'), blue) < 0.03
        assert talk.say('undo that').result is None


def test_a_task_that_cannot_be_done_is_explained_and_another_one_follows():
    with Simulation('far_cube') as sim:
        talk = Talk(sim)
        assert not talk.say('pick up the red cube').result.success
        assert '1.20 m' in talk.say('why did that fail?').text
        assert talk.say('undo that').result is None
        assert 'I hold nothing' in talk.say('what are you holding?').text


def test_chat_reads_lines_until_they_end(tmp_path, monkeypatch, capsys):
    lines = ('where is the cup?', '', 'yes', 'put the cube in the bowl', 'the left one',
             'what is in the bowl?')
    monkeypatch.setattr(sys, 'stdin', io.StringIO('\n'.join(lines) + '\n'))
    assert main(['chat', '--out', str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    said = ('not see the cup', 'Say what should be done', 'Nothing is asked',
            "which one is 'the cube'",
            'I understood: put the red cube in the bowl', 'I see the red cube.')
    assert [printed.index(words) for words in said] == sorted(printed.index(w) for w in said)
    assert len(list(tmp_path.glob('*/result.json'))) == 1


def test_a_task_of_run_is_known_in_the_conversation():
    with Simulation('tabletop') as sim:
        talk = Talk(sim)
        red = place(sim, 'red_cube')
        assert sim.run('put the red cube in the bowl').success
        assert talk.say('put it back').result.success
        assert math.dist(place(sim, 'red_cube'), red) < 0.03
