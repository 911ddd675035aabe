"""Constructions in plain order: what each becomes, and what looks like one and stays as it is."""

from __future__ import annotations

import pytest

from replan_agent.english.language.wording.constructions import in_plain_order
from replan_agent.english.language.wording.spoken_lists import with_spoken_lists


def _plain(said: str) -> str:
    return ' '.join(with_spoken_lists(in_plain_order(said)).split())


@pytest.mark.parametrize(('said', 'plain'), [
    ('we want that you lift the can', 'lift the can'),
    ('take the can and you put it in the bin', 'take the can and put it in the bin'),
    ('move the can so it sits right next to the bin', 'move the can next to the bin'),
    ('move the can another 5 cm to the left', 'move the can 5 cm to the left'),
    ('move the can 6 cm, leftwards', 'move the can 6 cm leftwards'),
    ('put the can beside the bowl but do not put it in', 'put the can beside the bowl'),
    ('where the can is, that is where i want the bar', 'put the bar where the can is'),
    ('the cubes need to switch positions', 'the cubes should switch positions'),
    ('do a swap of the can and the bar', 'swap the can and the bar'),
    ('the bowl should end up with just the bar in it', 'the bowl should contain only the bar'),
    ('lift the can and do not let go', 'lift the can'),
    ('get the can up in the air', 'lift the can'),
    ('make the can do a quarter turn', 'give the can a quarter turn'),
    ('give the can a gentle push', 'push the can'),
    ('back home with you', 'go home'),
    ('into the bowl the bar goes', 'the bar goes into the bowl'),
    ('of the two cubes, the left one', 'the left cube'),
    ('of the can and the bar, only the bar goes in the bin',
     'leave the can. the bar goes in the bin'),
    ('use the bin for the can and the bowl for the bar',
     'put the can to the bin. put the bar to the bowl'),
    ('two things for the bin: the can and the bar', 'put the can and the bar in the bin'),
    ('red on blue on green', 'stack the red one on the blue one on the green one'),
    ('red cube blue cube green can all three in the bowl',
     'put red cube, blue cube and green can in the bowl'),
    ('red cube blue cube in the bowl', 'put red cube and blue cube in the bowl'),
    ('have you got a can there? if so, lift it', 'is there a can? if so, lift it'),
    ('lift the can and then come back home', 'lift the can and then go home'),
    ('the can, i want it in the bin', 'i want the can in the bin'),
    ('put all cubes in the bin but not the red one, that goes in the bowl',
     'put all cubes in the bin except the red one. the red one goes in the bowl'),
    ('bar: stays', 'bar stays')])
def test_a_construction_becomes_a_plain_command(said: str, plain: str) -> None:
    assert _plain(said) == plain


@pytest.mark.parametrize('said', [
    'i put the can in the bin and they know it',
    'put another two cubes in the bowl',  # no length
    'put the can in the bowl but do not put it in',  # in it, and not in it
    'put the can and do not let go',  # it is not in the hand
    'the cubes have switched positions', 'the cubes need to change colours',
    'give the can a wash', 'make the can do a somersault',
    'of the can and the bar, only the cube goes in the bin',  # none of the two
    'three things for the bin: the can and the bar',  # two are named
    'red cube blue bar green can both in the bin', 'tomato can in the bin',  # one thing, or two
    'use the bowl for mixing', 'is the arm home', 'take the can home',
    'move the can to the bin and then back home',  # the can, or the arm
    'the cubes, i want it in the bin', 'the can, i want it',
    'have you got a can there?', 'where is the can'])
def test_what_only_looks_like_one_stays_as_it_is(said: str) -> None:
    assert _plain(said) == said
