"""Sentences to clauses; no scene is involved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.plan.grammar import Clause, NotUnderstood, Relation, Verb, parse

RED, BLUE, BOWL = 'the red cube', 'the blue cube', 'the bowl'
PICK_RED = Clause(Verb.PICK, RED)
HOME = Clause(Verb.HOME)


def put(thing: str, target: str, relation: Relation = Relation.IN) -> Clause:
    return Clause(Verb.PLACE, thing, target, relation)


@pytest.mark.parametrize('task', [
    'pick up the red cube', 'pick the red cube', 'pick the red cube up', 'grasp the red cube',
    'grab the red cube', 'take the red cube', 'lift the red cube', 'lift up the red cube',
    'get the red cube', 'Pick up the RED cube.', '  pick   up the red cube!  ',
    'please pick up the red cube', 'Could you pick up the red cube, please?',
    "I'd like you to grab the red cube for me, thanks", 'now pick up the red cube',
])
def test_ways_to_say_pick(task: str) -> None:
    assert parse(task) == (PICK_RED,)


@pytest.mark.parametrize(('task', 'relation'), [
    ('put the red cube in the bowl', Relation.IN),
    ('place the red cube into the bowl', Relation.IN),
    ('set the red cube inside the bowl', Relation.IN),
    ('drop the red cube in to the bowl', Relation.IN),
    ('put the red cube down in the bowl', Relation.IN),
    ('put the red cube on the bowl', Relation.ON),
    ('move the red cube onto the bowl', Relation.ON),
    ('put the red cube on top of the bowl', Relation.ON),
    ('set down the red cube on the bowl', Relation.ON),
    ('move the red cube to the bowl', Relation.TO),
    ('bring the red cube to the bowl', Relation.TO),
    ('take the red cube to the bowl', Relation.TO),
    ('stack the red cube on the bowl', Relation.STACKED),
    ('stack the red cube on top of the bowl', Relation.STACKED),
])
def test_ways_to_say_place(task: str, relation: Relation) -> None:
    assert parse(task) == (put(RED, BOWL, relation),)


@pytest.mark.parametrize('task', [
    'place the red cube at (0.4, -0.2)', 'place the red cube at 0.4, -0.2',
    'place the red cube at x=0.4 y=-0.2', 'put the red cube at x = 0.4, y = -0.2',
    'move the red cube to (0.4, -0.2)', 'put the red cube at 0.4 m, -0.2 m.',
    'place the red cube at (0.4 -0.2)', 'put the red cube down at the point (.4, \u22120.20)',
])
def test_ways_to_give_a_position(task: str) -> None:
    assert parse(task) == (Clause(Verb.PLACE_AT, RED, position=(0.4, -0.2)),)


@pytest.mark.parametrize(('task', 'verb'), [
    ('home', Verb.HOME), ('go home', Verb.HOME), ('return home', Verb.HOME),
    ('move the arm home', Verb.HOME), ('go back to the home position', Verb.HOME),
    ('open the gripper', Verb.RELEASE), ('open gripper', Verb.RELEASE),
    ('open your hand', Verb.RELEASE), ('release', Verb.RELEASE), ('let go', Verb.RELEASE),
    ('look', Verb.LOOK), ('look around', Verb.LOOK), ('look at the table', Verb.LOOK),
    ('replan', Verb.REPLAN), ('look again', Verb.REPLAN), ('plan again', Verb.REPLAN),
])
def test_commands_without_an_object(task: str, verb: Verb) -> None:
    assert parse(task) == (Clause(verb),)


@pytest.mark.parametrize(('task', 'thing'), [
    ('put down', ''), ('put it down', 'it'), ('put down the red cube', RED),
    ('set the red cube down', RED),
])
def test_putting_down_is_placing_on_the_table(task: str, thing: str) -> None:
    assert parse(task) == (put(thing, 'the table', Relation.ON),)


@pytest.mark.parametrize(('task', 'thing'), [
    ('release it', 'it'), ('let go of the red cube', RED), ('drop it', 'it'),
])
def test_letting_go_may_name_the_object(task: str, thing: str) -> None:
    assert parse(task) == (Clause(Verb.RELEASE, thing),)


@pytest.mark.parametrize('joint', [
    ' then ', ', then ', ' and then ', ', and then ', '; ', '. ', ', ', ' and ', '. Then ',
    ', after that ', '; and next, ', '\n', '. Finally, ', ' and please ', ', could you then ',
])
def test_ways_to_join_commands(joint: str) -> None:
    assert parse(f'pick up the red cube{joint}go home') == (PICK_RED, HOME)


def test_a_comma_in_a_position_joins_nothing() -> None:
    assert parse('pick up the red cube, place it at (0.4, -0.2), go home') == (
        PICK_RED, Clause(Verb.PLACE_AT, 'it', position=(0.4, -0.2)), HOME)


def test_a_placement_without_an_object_means_the_one_before() -> None:
    assert parse('pick up the red cube and place on the table') == (
        PICK_RED, put('', 'the table', Relation.ON))


def test_a_list_of_objects_goes_to_one_place() -> None:
    assert parse('put the red cube, the blue cube and the can in the bowl') == (
        put(RED, BOWL), put(BLUE, BOWL), put('the can', BOWL))


def test_each_object_may_have_its_own_place() -> None:
    assert parse('put the red cube in the bowl and the blue cube on the table') == (
        put(RED, BOWL), put(BLUE, 'the table', Relation.ON))


def test_a_chain_is_stacked_from_the_bottom_up() -> None:
    assert parse('stack the red cube on the blue cube on the can') == (
        put(BLUE, 'the can', Relation.STACKED), put(RED, BLUE, Relation.STACKED))


def test_the_last_relation_is_the_destination() -> None:
    assert parse('put the cube in the bowl on the table') == (
        put('the cube in the bowl', 'the table', Relation.ON),)


def test_on_the_left_describes_an_object() -> None:
    assert parse('put the cube on the left in the bowl') == (put('the cube leftmost', BOWL),)


@pytest.mark.parametrize(('task', 'hint'), [
    ('do not pick up the red cube', 'not what to avoid'),
    ("don't touch the bowl", 'not what to avoid'),
    ('pick up everything', 'one by one'),
    ('put all cubes in the bowl', 'one by one'),
    ('pick up the red cube if it is near', 'in the order'),
    ('put the red cube next to the bowl', '"in" or "on"'),
    ('put the red cube to the left of the bowl', '"in" or "on"'),
    ('pick up the red cube and the blue cube', 'one object at a time'),
    ('put the red cube in the bowl and the blue cube', 'where should the blue cube go?'),
    ('stack the red cube and the blue cube on the can', 'what on what'),
    ('place the red cube at (0.4, 0.2, 0.1)', 'did not understand'),
    ('place the red cube at (40 cm, 20 cm)', 'did not understand'),
    ('pick up', 'did not understand'), ('make me a sandwich', 'did not understand'),
    ('', 'names no action'), (' ,;. ', 'names no action'),
    ('pick up the red cube ' * 100, 'longer than'),
])
def test_a_task_that_is_not_understood_is_reported_with_examples(task: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        parse(task)
    assert hint in str(error.value)
    assert '"pick up the red cube"' in str(error.value)


def test_one_bad_command_spoils_the_whole_task() -> None:
    with pytest.raises(NotUnderstood, match="did not understand 'dance'"):
        parse('pick up the red cube, then dance')


WORDS = ('pick put place at on in to the red cube bowl it and then , ; . ( ) 0.4 -0.2 x= down '
         'stack home release look again up of').split()


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(' '.join)))
def test_any_text_gives_clauses_or_not_understood(task: str) -> None:
    try:
        clauses = parse(task)
    except NotUnderstood:
        return
    assert clauses
