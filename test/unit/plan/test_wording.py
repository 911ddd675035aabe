"""A task in plain words: what is left out, what is said in another form, what must stay."""

from __future__ import annotations

import pytest

from replan_agent.plan.language.wording.rewording import reworded


@pytest.mark.parametrize('said', [
    'ok so, put the can in the bin', 'morning! put the can in the bin',
    'put the can in the bin so that i can work', 'put the can in the bin because it is empty',
    'put the can in the bin, it is broken', 'put the can in the bin without breaking it',
    'i need some space, so put the can in the bin', 'put the can in the bin, that is all',
    'put the can in the bin, if that is ok with you?'])
def test_what_is_said_around_a_command_is_left_out(said: str) -> None:
    assert reworded(said).rstrip('?') == 'put the can in the bin'


@pytest.mark.parametrize('said', [
    'i am done with the can, put it in the bin', 'find the can and put it in the bin',
    'the can is dirty, put it in the bin', 'i do not want the can on the table, put it in the bin',
    'my kid left the can lying around, put it in the bin', 'the can: put it in the bin',
    'see the can? put it in the bin', 'there is the can in the way. put it in the bin',
    'remove the can from the table and put it in the bin'])
def test_a_remark_that_names_a_thing_gives_its_name_to_the_command(said: str) -> None:
    assert reworded(said) == 'put the can in the bin'


@pytest.mark.parametrize(('said', 'plain'), [
    ('mum wants the lime in the bowl', 'i want the lime in the bowl'),
    ('it would be great if the lime ended up in the bowl', 'the lime goes in the bowl'),
    ('the lime can go in the bowl', 'the lime goes in the bowl'),
    ('keep only the lime in the bowl', 'only the lime should be in the bowl'),
    ('is the bowl empty? then put the lime in it', 'if is the bowl empty, put the lime in it'),
    ('the red cube: bowl', 'the red cube goes to bowl'),
    ('the bar and the can, both into the bin', 'the bar and the can go into the bin'),
    ('put the bar with the can in the bin', 'put the bar and the can in the bin'),
    ('make a tower: white, then blue, then red',
     'stack the white cube, the blue cube and the red cube from bottom to top'),
    ('stack the cubes from top to bottom: red, blue',
     'stack the red cube and the blue cube from top to bottom'),
    ('do not put the can in the bowl, put it in the bin',
     'put the can in the bin instead of in the bowl'),
    ('ignore the bar and put the can in the bin', 'leave the bar and put the can in the bin')])
def test_other_forms_become_plain_ones(said: str, plain: str) -> None:
    assert reworded(said) == plain


@pytest.mark.parametrize('said', [
    'put the cube in the bowl so that the red side is on top',  # it asks for more
    'put the cube in the bowl before you put the can in the bin',  # an order of time
    'put the can in the bin later', 'hold the can for a minute', 'build a second tower',
    'put the bar in the bin and the can in the bowl', 'the can go in the bin',
    'if the bowl is empty, put it in the bin', 'the red cube should be in the bowl'])
def test_what_says_more_is_kept(said: str) -> None:
    assert reworded(said) == said


@pytest.mark.parametrize('word', ['the ', 'and the cube ', 'put the cube with the ', 'a-', ', ',
                                  'tower then ', 'if the cube ', '1. '])
def test_a_long_text_of_repeated_words_is_read(word: str) -> None:
    """A pattern that tries every way to split the text would not end here."""
    assert isinstance(reworded((word * 1000)[:1000]), str)
