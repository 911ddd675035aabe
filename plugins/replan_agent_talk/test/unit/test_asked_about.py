# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions are answered from the scene and the record; the arm stays still."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_scenes import BIN, BOWL, cube, plate, scene, thing
from talking_arm import TalkingArm

from replan_agent.domain.scene import Shape


def arm() -> TalkingArm:
    return TalkingArm(scene(
        cube('red_cube', 0.50, 0.30, on=0.006), cube('blue_cube', 0.56, -0.06),
        cube('green_cube', 0.56, -0.11), BOWL, BIN))


@pytest.mark.parametrize(('question', 'named', 'not_named'), [
    ('what is in the bowl?', ['red cube'], ['blue cube', 'bin']),
    ('what is on the table?', ['blue cube', 'green cube', 'bowl', 'bin'], ['red cube']),
    ('what do you see?', ['red cube', 'blue cube', 'bowl'], ['table']),
    ('what is there?', ['red cube', 'blue cube', 'bowl'], []),
    ('where is the red cube?', ['in the bowl'], ['blue']),
    ('where is the blue cube', ['on the table', 'next to the green cube'], ['red']),
    ('where are the cubes?', ['red cube', 'blue cube', 'green cube'], []),
    ('how many cubes are there?', ['3'], []), ('how many cubes are in the bowl?', ['1'], ['blue']),
    ('is the red cube in the bowl?', ['Yes'], []),
    ('is the blue cube in the bowl?', ['No', 'on the table'], ['Yes']),
    ('is there a cube in the bin?', ['not see'], ['Yes']),
    ('where is the cup?', ['not see the cup'], []),
    ('what is in the cup?', ['not see the cup'], []),
    ('is there a cup?', ['not see a cup'], []), ('where is the dragon?', ['not see'], []),
    ('what are you holding?', ['nothing'], []), ('what is in your hand?', ['nothing'], []),
    ('is the bin empty?', ['nothing there'], []), ('do you see a cube?', ['Yes'], []),
    ('which cubes are in the bowl?', ['red cube'], ['blue']), ('thank you', ['Say what'], []),
    ('what can you do?', ['pick'], []), ('what did you do?', ['nothing yet'], []),
    ('why did that fail?', ['Nothing has failed'], []), ('why did you stop?', ['nothing yet'], []),
])
def test_what_is_seen_and_done_is_told(question: str, named: list[str], not_named: list[str]
                                       ) -> None:
    it = arm()
    reply = it.say(question)
    assert reply.result is None and not it.tasks
    assert all(words in reply.text for words in named), reply.text
    assert not any(words in reply.text for words in not_named), reply.text


@pytest.mark.parametrize(('question', 'answer'), [
    ('are both cubes in the bowl?', 'cannot tell'), ('are all cubes in the bowl?', 'Only'),
    ('are the cubes in the bowl?', 'Only'), ('is every cube in the bowl?', 'Only'),
    ('is everything in the bowl?', 'Only'), ('are any cubes in the bowl?', 'Only the red cube'),
    ('is the red cube and the blue cube in the bowl?', 'Only the red cube'),
    ('are the blue cube and the green cube on the table?', 'Yes'),
    ('is the bowl on the table?', 'Yes'), ('is the bowl in the bin?', 'No'),
    ('is no cube in the bowl?', 'not answer'), ('are two cubes in the bowl?', 'not answer'),
    ('are there two cubes in the bowl?', 'not answer'),
    ('is the red cube not in the bowl?', 'not answer'),
    ('is there a red cube and a blue cube in the bowl?', 'not answer'),
    ('is there a red cube and a cup?', 'not see a cup'),
    ('is the rightmost cube in the bowl?', 'No'), ('is the leftmost cube in the bowl?', 'Yes'),
    ('is the other cube in the bowl?', 'cannot tell'), ('is the cube in the bowl?', 'which one'),
    ('is the red cube or the blue cube in the bowl?', 'not answer'),
    ('is the blue cube on the left?', 'not answer'),
    ('are there any cubes in the bowl?', 'Yes: the red cube'),
])
def test_yes_is_said_only_if_all_that_is_asked_is_so(question: str, answer: str) -> None:
    reply = arm().say(question)
    assert answer in reply.text and reply.text.startswith('Yes') is answer.startswith('Yes'), reply


@pytest.mark.parametrize(('question', 'answer'), [
    ('how many cubes are on the table?', 'I see 1: the blue cube.'),
    ('which cubes are on the table?', 'I see the blue cube.'),
    ('what is on the table?', 'I see the plate, the blue cube, the can and the bowl.'),
    ('is the red cube on the table?', 'No. The red cube is on the plate'),
    ('are the blue cube and the can on the table?', 'Yes: the blue cube and the can.'),
    ('where is the can?', 'The can is on the table, at (0.56, 0.12) m.')])  # a plate is round, too
def test_on_the_table_is_what_the_table_carries(question: str, answer: str) -> None:
    can = thing('can', 0.56, 0.12, Shape.CYLINDER, (0.05, 0.05, 0.08))
    it = TalkingArm(scene(plate('plate', 0.40, -0.1), cube('red_cube', 0.40, -0.1, on=0.012),
                           cube('blue_cube', 0.56, -0.06), can, BOWL))
    assert it.say(question).text.startswith(answer)


@pytest.mark.parametrize(('question', 'answer'), [
    ('where is the red cube?', ''), ('what is in the bowl?', 'I see nothing there. '),
    ('how many cubes are in the bowl?', 'I see none. '),
    ('is the red cube in the bowl?', 'I believe so. ')])
def test_what_is_only_believed_is_not_told_as_seen(question: str, answer: str) -> None:
    it = arm()
    now = replace(it.scene, stamp=12.0)
    it.scene = replace(now, objects=tuple(
        o if o.name == 'red_cube' else replace(o, seen_at=12.0) for o in now.objects))
    assert it.say(question).text == (
        f'{answer}I do not see the red cube now: it was last seen 12 s ago, and I believe that it '
        'is in the bowl.')
    assert 'I see the blue cube' in it.say('what do you see?').text


def test_what_is_held_is_told() -> None:
    it = arm()
    it.say('pick up the blue cube')
    assert 'the blue cube' in it.say('what are you holding?').text
    assert 'in my hand' in it.say('where is it?').text
    it.scene = replace(it.scene, held=None, arm=None)
    assert 'do not know' in it.say('what are you holding?').text


def test_the_record_tells_what_was_done_and_why_it_failed() -> None:
    it = arm()
    it.breaks_at = 2
    it.say('put the blue cube in the bowl')
    assert 'the controller is off' in it.say('why did that fail?').text
    did = it.say('what did you do?').text
    assert 'pick' in did and 'failed' in did


def test_who_sees_nothing_says_so_and_still_knows_the_record() -> None:
    it = arm()
    it.say('put the blue cube in the bowl')
    it.is_blind = True
    assert 'the lens is covered' in it.say('what is on the table?').text
    assert 'It is done' in it.say('what did you do?').text


def test_a_question_in_between_leaves_the_other_question_open() -> None:
    it = arm()
    it.say('put the cube on the table')
    assert it.say('what is in the bowl?').asks and it.talk.open is not None
    assert 'I wait for an answer' in it.say('why did you stop?').text


@pytest.mark.parametrize('words', ['', '   ', '\n', '\t'])
def test_nothing_said_does_nothing(words: str) -> None:
    it = arm()
    assert it.say(words).result is None and not it.tasks


@pytest.mark.parametrize('words', ['日本語で話してください', '🤖🤖🤖', 'a' * 10_000, ',' * 6_000,
                                   'put ' * 3_000, '\x00\x07', '\u202eput the cube'])
def test_bad_input_moves_nothing(words: str) -> None:
    it = arm()
    reply = it.say(words)
    assert not reply.result and it.done == 0 and reply.text


@pytest.mark.parametrize(('question', 'answer'), [
    ('is it in the bowl?', 'No. The blue cube is on the table'), ('is it on the table?', 'Yes'),
    ('where is it?', 'The blue cube is on the table'), ('what is in it?', 'cannot tell')])
def test_it_is_judged_with_the_place_that_is_asked_about(question: str, answer: str) -> None:
    it = arm()
    it.breaks_at = 1
    assert not it.say('put the blue cube in the bin').result
    assert answer in it.say(question).text


def test_in_it_is_in_the_container_that_was_moved_last() -> None:
    it = arm()
    it.say('put the bowl next to the bin')
    it.say('put the red cube in the bowl')
    assert 'red cube' in it.say('what is in it?').text


def test_it_means_nothing_if_nothing_was_said_before() -> None:
    assert 'cannot tell' in arm().say('is it in the bowl?').text
