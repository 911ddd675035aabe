"""Sentences that rewording must not turn into another order: the right goals, or no plan."""

from __future__ import annotations

import pytest
from replan_agent_bench.worlds.expectation import is_refusal, shown
from replan_agent_bench.worlds.sentence_scenes import BIN, BOWL, ball, cube, plate, scene, thing

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.scene import Scene, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
CAN = thing('can', 0.40, -0.20, Shape.CYLINDER, (0.04, 0.04, 0.07), colour='grey')
KITCHEN = scene(
    cube('red_cube', 0.38, 0.02), cube('blue_cube', 0.38, -0.08), plate('plate', 0.58, 0.02),
    cube('green_cube', 0.56, 0.0, 0.03, on=0.01), cube('yellow_cube', 0.60, 0.04, 0.03, on=0.01),
    ball('lime', 0.40, 0.14, 'green', 0.045), ball('apple', 0.48, 0.12, 'red'), CAN,
    thing('tray', 0.68, -0.20, Shape.BIN, (0.16, 0.16, 0.04), colour='blue'), BOWL, BIN)
CAR = thing('toy_car', 0.55, -0.10, size=(0.08, 0.04, 0.04), colour='red')

_TABLE_CUBES = 'in blue_cube bowl; in green_cube bowl; in yellow_cube bowl'
_ALL_CUBES = f'in red_cube bowl; {_TABLE_CUBES}'
_ON_PLATE = 'in green_cube {0}; in yellow_cube {0}'
# The sentence, and the goals that it may give; '' if it may give none.
TRAPS = {
    "Don't put the lime in the bowl and don't put it on the tray.": '',
    'Do not put the lime in the bowl or put it on the plate.': '',
    'Do not throw the lime into the bin nor put it in the bowl.': '',
    'Do not put the lime in the bowl unless you put it on the tray first.': '',
    'Do not build a tower: red, then blue, then green.': '',
    "Don't make a stack: red, then blue.": '',
    'Never build a tower: red, then blue.': '',
    'Throw away everything that is broken.': '',
    'Throw away the fruits that are rotten.': '',
    'Put everything in the bin that is old.': '',
    'Put all cubes in the bowl, because I am hungry, except the red cube.': _TABLE_CUBES,
    'Put all cubes in the bowl so that I can work, but not the red one.': _TABLE_CUBES,
    'Put everything in the bin to make room, but leave the lime.':
        'in red_cube bin; in blue_cube bin; in green_cube bin; in yellow_cube bin; in apple bin; '
        'in can bin; in plate bin',
    'Put all cubes in the bowl before dinner, except the red one.': _TABLE_CUBES,
    'Put the can in the bowl so you can put the lime on the tray.': '',
    'You must not touch the red cube, put all cubes in the bowl.': _TABLE_CUBES,
    'You must put my lime in the bowl, put the can on the tray.': 'in lime bowl; in can tray',
    'Nobody is to touch the red cube, move all the cubes to the bowl.': _TABLE_CUBES,
    'We must keep the red cube here, put the cubes in the bowl.': _TABLE_CUBES,
    'The cubes on the plate are rotten. Throw them away.': _ON_PLATE.format('bin'),
    'There are some cubes on the plate, put them in the bowl.': _ON_PLATE.format('bowl'),
    'The cubes left of the can are old. Throw them away.': '',
    'The lime is clean and the can is dirty, throw it away.': 'in can bin',
    'The lime is not dirty but the can is, throw it away.': 'in can bin',
    'I like the lime but not the can, throw it away.': 'in can bin',
    'Put the lime in the bowl and put the can on the tray along with the apple.':
        'in lime bowl; in can tray; in apple tray',
    'Put the cubes in the bowl, any two.': 'exactly 2 blue_cube+green_cube+red_cube+yellow_cube '
                                           'in bowl',
    'Put the cubes on the tray, any three of them.': '',
    'Move all cubes to the bowl, even the ones on the plate except the green one.':
        'in red_cube bowl; in blue_cube bowl; in yellow_cube bowl',
    'Put all the toys in the bin.': '',
    'No bowl gets the lime.': '',
    'The lime belongs in the bin unless it is nice, put the can on the tray.': '',
    'Put the bowl with the lime on the tray.': '',
    'Put the lime on the plate that is left.': '',
    'Put the lime on plate 1. Put the can in bowl 2.': '',
}


def _answer(text: str, seen: Scene = KITCHEN) -> PlanReply:
    return SearchPlanner(build_reader('arm')).plan(PlanRequest(text, seen, SKILLS), Context())


def _goals(reply: PlanReply, seen: Scene = KITCHEN) -> list[str]:
    return sorted(line for goal in reply.goals for line in shown(goal, seen))


@pytest.mark.parametrize(('text', 'wanted'), TRAPS.items(), ids=TRAPS)
def test_a_trap_gives_the_right_goals_or_no_plan(text: str, wanted: str) -> None:
    reply = _answer(text)
    assert is_refusal(reply) or (wanted and _goals(reply) == sorted(wanted.split('; ')))


def test_toys_are_only_what_is_named_so() -> None:
    seen = scene(*KITCHEN.objects[:-1], CAR)
    assert _goals(_answer('Put all the toys in the bin.', seen), seen) == ['in toy_car bin']
