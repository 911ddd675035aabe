"""Sentences to commands; no scene is involved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.english.language.grammar import parse
from replan_agent.english.language.phrases import Command, Relation, Verb


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
    'move the red cube to (0.4, -0.2)', 'put the red cube at 0.4 m, -0.2 m.',
    'place the red cube at (0.4 -0.2)', 'put the red cube down at the point (.4, \u22120.20)',
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
    ('move the arm home', Verb.HOME), ('go back to the home position', Verb.HOME),
    ('open the gripper', Verb.RELEASE), ('open gripper', Verb.RELEASE),
    ('open your hand', Verb.RELEASE), ('release', Verb.RELEASE), ('let go', Verb.RELEASE),
    ('look', Verb.LOOK), ('look around', Verb.LOOK), ('look at the table', Verb.LOOK),
    ('replan', Verb.REPLAN), ('look again', Verb.REPLAN), ('plan again', Verb.REPLAN),
    ('tidy up', Verb.TIDY), ('clear the table', Verb.TIDY),
])
def test_commands_without_an_object(task: str, verb: Verb) -> None:
    assert [c.verb for c in parse(task)] == [verb]


@pytest.mark.parametrize('joint', [
    ' then ', ', then ', ' and then ', ', and then ', '; ', '. ', ', ', ' and ', '. Then ',
    ', after that ', '; and next, ', '\n', '. Finally, ', ' and please ', ', could you then ',
])
def test_ways_to_join_commands(joint: str) -> None:
    assert shorts(f'pick up the red cube{joint}go home') == ['pick red cube', 'home']


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
    ('put the red cube in the bowl, then the blue one',
     ['put red cube | in bowl', 'put blue one | in bowl']),
])
def test_lists_chains_and_what_is_left_out(task: str, commands: list[str]) -> None:
    assert shorts(task) == commands


@pytest.mark.parametrize(('task', 'hint'), [
    ('do not pick up the red cube', 'not what to avoid'),
    ("don't touch the bowl", 'not what to avoid'),
    ('pick up the red cube if it is near', 'if there is a'),
    ('pick up the red cube when I say so', 'in the order'),
    ('put the red cube under the bowl', 'under'),
    ('what is on the table?', 'question'),
    ('place the red cube at (0.4, 0.2, 0.1)', 'did not understand'),
    ('place the red cube at (40 cm, 20 cm)', 'did not understand'),
    ('sort the cubes by weight', 'colour, size'),
    ('pick up', 'did not understand'), ('make me a sandwich', 'did not understand'),
    ('', 'names no action'), (' ,;. ', 'names no action'), ('leave the cube', 'names no action'),
    ('pick up the red cube ' * 100, 'longer than'),
])
def test_a_task_that_is_not_understood_is_reported_with_the_reason(task: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        parse(task)
    assert hint in str(error.value)


@pytest.mark.parametrize(('task', 'question'), [
    ('put the red cube in the bowl and the blue cube', 'where should the blue cube go?'),
    ('move the red cube', 'where should the red cube go?'),
    ('put the red cube or the blue cube in the bowl', 'or what?'),
    ('put some cubes in the bowl', 'how many?'),
])
def test_what_is_left_open_is_asked(task: str, question: str) -> None:
    with pytest.raises(Open) as error:
        parse(task)
    assert question in str(error.value)


def test_one_bad_command_spoils_the_whole_task() -> None:
    with pytest.raises(NotUnderstood, match="did not understand 'dance'"):
        parse('pick up the red cube, then dance')


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
