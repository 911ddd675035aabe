# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals in plain words, and the last scene for the record."""

from __future__ import annotations

import itertools
import re

import pytest
from hand_scenes import SCENES, cube, scene
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.agent.ending import final_scene
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.things import Quantity, Things
from replan_agent.english.dictionary import words
from replan_agent.geometry.goal_words import goal_in_words, verdicts_in_words
from replan_agent.geometry.judging import support_below
from replan_agent.plan.model.asking.compact_prompt import compact_situation


@pytest.mark.parametrize(('goal', 'sentence'), [
    (Goal('in', 'red_cube', 'bowl'), 'the red cube is in the bowl'),
    (Goal('on', 'red_cube', 'blue_cube', negated=True),
     'the red cube is not on the blue cube'),
    (Goal('left_of', 'red_cube', 'bowl', viewpoint='arm'),
     'the red cube is to the left of the bowl, as the arm sees it'),
    (Goal('between', 'red_cube', 'bowl', second='bin'),
     'the red cube is between the bowl and the bin'),
    (Goal('at', 'red_cube', position=(0.5, 0.1)), 'the red cube is at (0.500, 0.100)'),
    (Goal('home'), 'the arm is at home'),
    (Goal('in', target='bowl', things=Things(Quantity.EXACTLY, 2, words('ball'))),
     'exactly 2 balls are in the bowl'),
    (Goal('in', target='bowl', things=Things(words=words('red', 'cube'))),
     'every red cube is in the bowl'),
    (Goal('in', target='bin', things=Things(words=words('t-shirt'))),
     'every t-shirt is in the bin'),
    (Goal('in', target='bin',
          things=Things(words=words('thing', '-ball', '-red'), without=('can',))),
     'everything that is not a ball and that is not red except the can is in the bin'),
    (Goal('in', target='bin', things=Things(Quantity.AT_LEAST, 2, words('red|blue', 'box'))),
     'at least 2 red or blue boxes are in the bin'),
    (Goal('in', target='bin',
          things=Things(Quantity.EXACTLY, 0, words('thing'), without=('can',))),
     'nothing except the can is in the bin'),
    (Goal('in', target='bin', things=Things(named=('red_cube', 'can', 'lime'), without=('can',))),
     'the red cube and the lime are in the bin'),
    (Goal('on', things=Things(words=words('cube')), targets=Things(words=words('plate'))),
     'every cube is on a different plate'),
    (Goal('in', target='bin', things=Things(words=words('cube')), negated=True),
     'it is not so that every cube is in the bin'),
])
def test_a_goal_is_a_sentence_about_how_things_are(goal: Goal, sentence: str) -> None:
    assert goal_in_words(goal) == sentence


WORDS = ('cube', 'ball', 'thing', 'one', 'red', 'round', 't-shirt', 'dark-green', 'lemon',
         'red|blue', 'cube|ball')
NAMES = ('red_cube', 'cup-2', 'toy_dog')
THINGS = st.builds(
    Things, st.sampled_from(Quantity), st.integers(0, 4),
    st.lists(st.sampled_from([*WORDS, *(f'-{word}' for word in WORDS)]),
             max_size=4).map(lambda texts: words(*texts)),
    *[st.lists(st.sampled_from(NAMES), unique=True).map(tuple)] * 2)
GOALS = st.builds(
    Goal, st.sampled_from(Predicate), *[st.none() | st.sampled_from(NAMES)] * 2,
    position=st.just((0.5, 0.1)), second=st.none() | st.sampled_from(NAMES),
    degrees=st.floats(-180, 180), viewpoint=st.sampled_from(('', 'arm')),
    negated=st.booleans(), things=st.none() | THINGS, targets=st.none() | THINGS)


@given(GOALS)
def test_the_words_of_a_goal_have_no_artefacts(goal: Goal) -> None:
    words = goal_in_words(goal)
    assert not set('|_?{}"') & set(words) and '  ' not in words and words == words.strip()
    own = {part for word in (*WORDS, *NAMES) for part in re.split(r'[|_]', word)}
    hyphened = {word.strip('(),') for word in words.split() if '-' in word}
    assert {word[:-1] if word not in own and word.endswith('s') else word
            for word in hyphened if not re.fullmatch(r'-[\d.]+', word)} <= own
    assert 'None' not in words and ' one one' not in words


def test_a_hyphen_in_a_word_is_no_negation() -> None:
    assert str(Things(words=words('-red', 't-shirt'))) == 'all not red t-shirt'


def test_what_was_put_away_is_said_thing_by_thing() -> None:
    tidy = Goal('in', target='bowl', things=Things(words=words('thing')))
    assert verdicts_in_words([tidy], SCENES['bowl_full']) == [
        'the red cube is in the bowl: yes', 'the blue cube is in the bowl: yes',
        'the green cube is in the bowl: no']


def test_what_is_in_a_bowl_is_in_it_also_if_it_is_on_something_there() -> None:
    bowl = SCENES['bowl_full'].get('bowl')
    top, bottom = (
        cube(name, 0.5, 0.3, on=z, side=0.02) for name, z in (('top', 0.026), ('bottom', 0.006)))
    assert bowl is not None
    for objects in itertools.permutations((top, bottom, bowl)):
        seen = scene(*objects)
        below = support_below(top, seen)
        assert below is not None and below.name == 'bowl'
        [told] = [t for t in final_scene(seen) if t['name'] == 'top']
        assert told['in'] == 'bowl'
        situation = compact_situation(PlanRequest('', seen, ()), 'arm')
        [said] = [t for t in situation['objects'] if t['name'] == 'top']
        assert said['in'] == 'bowl'


def test_the_last_scene_says_what_is_where() -> None:
    found = {each['name']: each for each in final_scene(SCENES['bowl_full'])}
    assert found['red_cube']['in'] == 'bowl' and found['green_cube']['on'] == 'table'
    assert found['bowl']['kind'] == 'bowl' and found['bowl']['position'] == [0.5, 0.3, 0.0275]
    assert 'on' not in found['table'] and 'in' not in found['table']
    held = {each['name']: each for each in final_scene(SCENES['held'])}
    assert held['red_cube']['in'] == 'gripper'
