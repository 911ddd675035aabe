"""Goals in plain words, and the last scene for the record."""

from __future__ import annotations

import pytest

from replan_agent.bench.worlds.sentence_scenes import SCENES
from replan_agent.domain.final_scene import final_scene
from replan_agent.domain.goal import Goal
from replan_agent.domain.goal_words import goal_in_words, verdicts_in_words
from replan_agent.domain.things import Quantity, Things


@pytest.mark.parametrize(('goal', 'words'), [
    (Goal('in', 'red_cube', 'bowl'), 'the red cube is in the bowl'),
    (Goal('on', 'red_cube', 'blue_cube', negated=True),
     'the red cube is not on the blue cube'),
    (Goal('left_of', 'red_cube', 'bowl', viewpoint='arm'),
     'the red cube is to the left of the bowl, as the arm sees it'),
    (Goal('between', 'red_cube', 'bowl', second='bin'),
     'the red cube is between the bowl and the bin'),
    (Goal('at', 'red_cube', position=(0.5, 0.1)), 'the red cube is at 0.500, 0.100 m'),
    (Goal('home'), 'the arm is at home'),
    (Goal('in', target='bowl', things=Things(Quantity.EXACTLY, 2, ('ball',))),
     'exactly 2 of (ball) are in the bowl'),
])
def test_a_goal_is_a_sentence_about_how_things_are(goal: Goal, words: str) -> None:
    assert goal_in_words(goal) == words


def test_what_was_put_away_is_said_thing_by_thing() -> None:
    tidy = Goal('in', target='bowl', things=Things(words=('thing',)))
    assert verdicts_in_words([tidy], SCENES['bowl_full']) == [
        'the red cube is in the bowl: yes', 'the blue cube is in the bowl: yes',
        'the green cube is in the bowl: no']


def test_the_last_scene_says_what_is_where() -> None:
    found = {each['name']: each for each in final_scene(SCENES['bowl_full'])}
    assert found['red_cube']['in'] == 'bowl' and found['green_cube']['on'] == 'table'
    assert found['bowl']['kind'] == 'bowl' and found['bowl']['position'] == [0.5, 0.3, 0.0275]
    held = {each['name']: each for each in final_scene(SCENES['held'])}
    assert held['red_cube']['in'] == 'gripper'
