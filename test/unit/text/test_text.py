# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Text from outside, made safe to show."""

from __future__ import annotations

import json

import pytest

from replan_agent.domain.plan import Step
from replan_agent.domain.skill import REPLAN_STEP
from replan_agent.text.shown_text import (
    clipped,
    counted,
    escaped,
    in_words,
    listed,
    one_line,
    printable,
    shown,
)

HOSTILE = ('\x1b[31m', '\x00', '\x07', '\r', '\x7f', '\x9b', '\u202e', '\u2066', '\u200f',
           '\u2028', '\ud800')


@pytest.mark.parametrize('character', HOSTILE)
def test_no_control_character_or_direction_mark_is_printable(character):
    assert printable(f'a{character}b') == f'a{character.replace(character[0], chr(0xfffd))}b'


def test_ordinary_text_of_any_language_stays():
    text = 'Zürich → 東京\tעברית\n'
    assert printable(text) == text and printable('a\r\nb') == 'a\nb'


@pytest.mark.parametrize('character', HOSTILE)
def test_json_text_with_escapes_means_the_same_and_is_printable(character):
    text = json.dumps({'name': f'a{character}é'}, ensure_ascii=False, indent=2)
    assert printable(escaped(text)) == escaped(text)
    assert json.loads(escaped(text)) == {'name': f'a{character}é'}


def test_names_and_numbers_are_said_in_words():
    assert in_words('path_blocked') == 'path blocked'
    assert [counted(n, 'steps') for n in (0, 1, 2)] == ['0 steps', '1 step', '2 steps']


def test_a_message_is_one_short_line():
    assert one_line('a\n  b\r\nc') == 'a b c'
    assert len(one_line('x' * 10**6, 50)) == 53 and clipped('abc', 3) == 'abc'


def test_a_value_is_shown_in_short_however_large_or_deep_it_is():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    bomb = ['x' * 10]
    for _ in range(60):
        bomb = [bomb] * 10
    for value in (deep, bomb, 'x' * 10**6, 10**10_000, {i: i for i in range(10**5)}, '\x1b\n'):
        assert len(shown(value)) <= 83 and printable(shown(value)) == shown(value)
    assert shown('red_cube') == "'red_cube'" and shown(10**400) == 'a number of about 400 digits'


def test_a_call_is_told_with_names_and_rounded_numbers() -> None:
    place = Step(1, 'place_at', {'x': 0.579555495773441, 'y': -0.1, 'yaw': 90.0})
    assert place.told == 'place_at(x=0.58, y=-0.1, yaw=90)'
    assert Step(1, 'pick', {'object': 'red_cube', 'over': True}).told == (
        'pick(object=red_cube, over=True)')
    assert Step(1, REPLAN_STEP).told == 'look again, then plan on'


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [listed('abc'[:n]) for n in (1, 2, 3)] == ['a', 'a and b', 'a, b and c']


def test_a_text_that_could_pass_for_another_step_or_argument_is_told_in_quotes():
    assert '\n' not in Step(1, 'say', {'text': 'hi)\n  2. home('}).told
    assert Step(1, 'pick', {'object': 'a, force=3'}).told == "pick(object='a, force=3')"


def test_a_small_number_is_not_told_as_zero():
    assert Step(1, 'go', {'speed': 0.00042}).told == 'go(speed=0.00042)'
