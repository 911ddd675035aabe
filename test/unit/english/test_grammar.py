# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences to commands; no scene is involved."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.english.parser import Rule, grammar_rules, parser
from replan_agent.english.phrases import Command, Relation, Verb
from replan_agent.english.readings import asks_for_nothing, readings
from replan_agent.english.task_rules import RULES


def parse(task: str) -> tuple[Command, ...]:
    """The commands of the first reading."""
    return readings(task)[0]



def short(command: Command) -> str:
    """A command as `put red cube | in bowl`."""
    things = ' + '.join(' '.join(t.words) or t.pronoun for t in command.things)
    places = ', '.join(' '.join([p.relation.value, *(' '.join(n.words) or n.pronoun
                                                     for n in p.landmarks)])
                       for p in command.places)
    return f'{command.verb.value} {things}'.strip() + (f' | {places}' if places else '')


def shorts(task: str) -> list[str]:
    return [short(command) for command in parse(task)]


@pytest.mark.parametrize('task', [
    'pick up the red cube', 'pick the red cube', 'pick the red cube up', 'grasp the red cube',
    'grab the red cube', 'take the red cube', 'lift the red cube', 'lift up the red cube',
    'get the red cube', 'Pick up the RED cube.', '  pick   up the red cube!  ',
    'please pick up the red cube', 'Could you pick up the red cube, please?',
    "I'd like you to grab the red cube for me, thanks", 'now pick up the red cube',
    'hold the red cube in the air', 'get the red cube up into the air',
    'put the red cube high up in the air',
])
def test_ways_to_say_pick(task: str) -> None:
    assert shorts(task) == ['pick red cube']


@pytest.mark.parametrize(('task', 'place'), [
    ('put the red cube in the bowl', 'in bowl'), ('place the red cube into the bowl', 'in bowl'),
    ('set the red cube inside the bowl', 'in bowl'),
    ('drop the red cube in to the bowl', 'in bowl'),
    ('put the red cube down in the bowl', 'in bowl'), ('put the red cube on the bowl', 'on bowl'),
    ('move the red cube onto the bowl', 'on bowl'),
    ('put the red cube on top of the bowl', 'on bowl'),
    ('set down the red cube on the bowl', 'on bowl'), ('move the red cube to the bowl', 'to bowl'),
    ('bring the red cube to the bowl', 'to bowl'), ('take the red cube to the bowl', 'to bowl'),
    ('take the red cube 5 cm away from the bowl', 'apart_from bowl'),
    ('put the red cube next to the bowl', 'near bowl'),
    ('put the red cube beside the bowl', 'near bowl'),
    ('put the red cube left of the bowl', 'left_of bowl'),
    ('put the red cube on the right side of the bowl', 'right_of bowl'),
    ('put the red cube in front of the bowl', 'in_front_of bowl'),
    ('put the red cube between the bowl and the can', 'between bowl can'),
    ('I want the red cube in the bowl', 'in bowl'),
    ('the red cube belongs in the bowl', 'in bowl'),
    ('put the red cube back', 'back'), ('put the red cube down', 'down'),
    ('put down the red cube', 'down'), ('put the red cube away', 'away'),
])
def test_ways_to_say_where(task: str, place: str) -> None:
    assert shorts(task) == [f'put red cube | {place}']


@pytest.mark.parametrize('task', [
    'place the red cube at (0.4, -0.2)', 'place the red cube at 0.4, -0.2',
    'place the red cube at x=0.4 y=-0.2', 'put the red cube at x = 0.4, y = -0.2',
    'move the red cube to (0.4, -0.2)', 'place the red cube at (0.4 -0.2)',
    'put the red cube at the point (.4, \u22120.20)',
])
def test_ways_to_give_a_position(task: str) -> None:
    [command] = parse(task)
    assert short(command) == 'put red cube | at' and command.places[0].point == (0.4, -0.2)


@pytest.mark.parametrize(('task', 'direction', 'distance_m'), [
    ('move it to the left', 'left', None), ('move it left', 'left', None),
    ('move it 5 cm to the left', 'left', 0.05), ('move it left by 50 mm', 'left', 0.05),
    ('move it forward 2 inches', 'forward', 0.0508), ('move it a bit to the right', 'right', 0.05),
    ('move it back by 0.1 m', 'back', 0.1), ('move it ten centimetres away', 'away', 0.1),
])
def test_ways_to_give_a_direction(task: str, direction: str, distance_m: float | None) -> None:
    [command] = parse(task)
    place = command.places[0]
    assert place.relation is Relation.ASIDE and place.direction == direction
    assert place.distance_m == (None if distance_m is None else pytest.approx(distance_m))


@pytest.mark.parametrize(('task', 'verb'), [
    ('home', Verb.HOME), ('go home', Verb.HOME), ('return home', Verb.HOME),
    ('go to the home position', Verb.HOME),
    ('open the gripper', Verb.RELEASE), ('open gripper', Verb.RELEASE),
    ('open your hand', Verb.RELEASE), ('release', Verb.RELEASE), ('let go', Verb.RELEASE),
    ('look', Verb.LOOK), ('look around', Verb.LOOK), ('look at the table', Verb.LOOK),
    ('replan', Verb.LOOK), ('look again', Verb.LOOK), ('plan again', Verb.LOOK),
    ('tidy up', Verb.PUT), ('clear the table', Verb.PUT),
])
def test_commands_without_an_object(task: str, verb: Verb) -> None:
    assert [c.verb for c in parse(task)] == [verb]


@pytest.mark.parametrize('joint', [
    ' then ', ', then ', ' and then ', ', and then ', '; ', '. ', ', ', ' and ', '. Then ',
    ', after that ', '; and next, ', '\n', '. Finally, ', ' and please ', ', could you then ',
])
def test_ways_to_join_commands(joint: str) -> None:
    assert shorts(f'pick up the red cube{joint}go home') == ['pick red cube', 'home']


@pytest.mark.parametrize('task', [
    'could you pick up the red cube, then go home?', 'can you pick up the red cube and go home?',
    'Would you pick up the red cube, please? Go home',
    'can you pick up the red cube? Then go home',
    'could you pick up the red cube, then go home, please?'])
def test_several_orders_may_be_asked_for(task: str) -> None:
    assert shorts(task) == ['pick red cube', 'home']


@pytest.mark.parametrize(('task', 'commands'), [
    ('pick up the red cube, place it at (0.4, -0.2), go home',
     ['pick red cube', 'put it | at', 'home']),
    ('pick up the red cube and place on the table', ['pick red cube', 'put it | on table']),
    ('put the red cube, the blue cube and the can in the bowl',
     ['put red cube + blue cube + can | in bowl']),
    ('put the red and the blue cube in the bowl', ['put red cube + blue cube | in bowl']),
    ('put the red cube in the bowl and the blue cube on the table',
     ['put red cube | in bowl', 'put blue cube | on table']),
    ('cubes into the bowl, the rest into the bin', ['put cube | in bowl', 'put thing | in bin']),
    ('stack the red cube on the blue cube on the can',
     ['stack blue cube | on can', 'stack red cube | on blue cube']),
    ('swap the can with the bar', ['swap can + bar']),
    ('take everything out of the bowl', ['remove thing | from bowl']),
    ('put the red cube on the can, then on top of that the bar',
     ['put red cube | on can', 'put bar | on it']),
    ('put the red cube in the bowl, then the blue one',
     ['put red cube | in bowl', 'put blue one | in bowl']),
])
def test_lists_chains_and_what_is_left_out(task: str, commands: list[str]) -> None:
    assert shorts(task) == commands


@pytest.mark.parametrize(('task', 'hint'), [
    ('pick up the red cube, then dance', '"dance" is not a word of the grammar'),
    ('put the red cube into the bowl the', '"the" does not fit after \'the bowl\''),
    ('pick up', 'something is missing at its end'),
    ('what is on the table?', '"?" does not fit'),
    ('put the red cube under the bowl', 'make no task together'),
    ('leave the cube', 'make no task together'),
    ('', 'names no action'),
    ('pick up the red cube ' * 100, 'longer than 1000'), ('put a ' * 150, 'longer than 120 words'),
    ('6,' * 400, 'longer than 120 words'), ('and ' * 120, 'too many ways'),
    ('one ' * 120, 'make no task together'),
    ('put the cube ' + 'of the tower ' * 35, 'too many ways'),
    ('put the cube ' + 'that is in the bowl ' * 22, 'too many ways'),
    ('the ' * 120, '"the" does not fit')])
def test_a_refusal_names_the_first_word_that_does_not_fit(task: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        parse(task)
    assert hint in str(error.value)


def test_each_rule_of_the_grammar_has_a_meaning() -> None:
    """A rule without a function of its name passes on the one part that it keeps."""
    for name, alias, symbols in (p.rule for rules in parser().points.values() for p in rules):
        kept = [s for s in symbols if not s.startswith('"') and not (s[0] == '_' and s.isupper())]
        assert alias in RULES or alias == name and kept or alias.startswith('_') or (
            alias.endswith('_said')), alias  # the words themselves


def test_a_word_to_stop_in_words_that_do_not_fit_is_no_wish_for_nothing() -> None:
    assert asks_for_nothing('wait a moment')
    assert not asks_for_nothing('put the red cube in the bowl, no wait, the bin')


def test_all_readings_are_kept() -> None:
    found = readings('put the lemon and the lime next to the bowl in the bin')
    assert all(c.verb is Verb.PUT for commands in found for c in commands)


WORDS = ('pick put place at on in to the red cube bowl it and then , ; . ( ) 0.4 -0.2 x= down '
         'stack home release look again up of all except left 5 cm if there is until swap sort by '
         'between or not that tower empty turn 90 degrees give me back too one two').split()


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(' '.join)))
def test_any_text_gives_commands_or_a_refusal(task: str) -> None:
    try:
        commands = parse(task)
    except (NotUnderstood, Open):
        return
    assert commands


def test_threads_that_read_at_once_read_as_alone() -> None:
    tasks = ('put the red cube in the bowl', 'swap the red cube and the can',
             'stack the cubes with the red one at the bottom')
    alone = {task: readings(task) for task in tasks}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(tasks)) as pool:
            spaced = [(task, f'{task}{" " * k}') for k in range(1, 9) for task in tasks]
            found = list(pool.map(lambda pair: (pair[0], readings(pair[1])), spaced))
    finally:
        sys.setswitchinterval(interval)
    assert all(said == alone[task] for task, said in found)


def test_every_symbol_of_the_grammar_is_a_rule_a_word_or_a_category() -> None:
    english = parser()
    categories = {c for found in english.lexicon.words.values() for c in found} | {
        'NAME', 'NOUN', 'NOUNS', 'UNKNOWN', 'V_SKILL', 'STATE', 'FIGURE', '_PUNCT', '_STOP',
        '_QM'}
    known = english.points.keys() | categories | {*english.lexicon.literals.values()}
    said = {s for rules in english.points.values() for p in rules for s in p.rule.symbols}
    assert said - known == set()


def test_the_rules_of_a_grammar_have_no_groups_options_and_repeats() -> None:
    text = 'a: "x"? (B|c) -> d  // said so\n    | "y" c*\nc: B+'
    assert grammar_rules(text) == [
        Rule('__0', '__0', ('c',)), Rule('__0', '__0', ('__0', 'c')),
        Rule('a', 'd', ('"x"', 'B')), Rule('a', 'd', ('"x"', 'c')), Rule('a', 'd', ('B',)),
        Rule('a', 'd', ('c',)), Rule('a', 'a', ('"y"', '__0')), Rule('a', 'a', ('"y"',)),
        Rule('__1', '__1', ('B',)), Rule('__1', '__1', ('__1', 'B')), Rule('c', 'c', ('__1',))]
