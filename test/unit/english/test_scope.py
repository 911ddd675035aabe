"""What bans, exceptions and "not" are about, and wishes that cannot both come true."""

from __future__ import annotations

import pytest
from hand_scenes import SCENES

from replan_agent.domain.orders import final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.english.reader import EnglishReader

TABLETOP = SCENES['tabletop']


def moved(task: str) -> set[str]:
    """What the goals of the task move."""
    reading = EnglishReader().read(PlanRequest(task, TABLETOP, ()), lambda order, now, *_: now)
    assert reading.refusal is None, reading.refusal
    return {part.object for goal in final_goals(reading.orders, TABLETOP)
            for part in goal.named(TABLETOP)}


def is_asked(task: str) -> bool:
    try:
        return EnglishReader().read(PlanRequest(task, TABLETOP, ()),
                                    lambda order, now, *_: now).refusal is not None
    except (NotUnderstood, Open, Unclear):
        return True


@pytest.mark.parametrize('task', [
    'never touch any cube, and throw everything away', 'all things but a cube belong in the bin',
    'without disturbing either of the cubes, put everything into the bin'])
def test_any_thing_that_is_spared_is_each_of_them(task: str) -> None:
    assert moved(task) == {'green_cylinder', 'yellow_bar'}


@pytest.mark.parametrize('task', [
    'bin everything that is not green and not a cube',
    'put all things that are not cubes nor green in the bowl',
    'everything that is not a cube and not left of the bar should be in the bin, except the can'])
def test_a_thing_that_is_neither_is_not_one_of_them(task: str) -> None:
    assert moved(task) == {'yellow_bar'}


@pytest.mark.parametrize('task', [
    'put both the bar and the cube in the bin', 'both the cube and the bar belong in the bowl',
    'throw both my cube and the can away'])
def test_both_the_cube_and_another_thing_leaves_open_which_cube(task: str) -> None:
    assert is_asked(task)
