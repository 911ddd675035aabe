# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drawers and knobs in words: "the top drawer of the cabinet", "turn on the stove"."""

from __future__ import annotations

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.orders import final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape, States
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind

AT = Pose((0.6, 0.3, 0.1))
SKILLS = tuple(SkillSpec(name, f'make it {state}', {
    'type': 'object', 'properties': {'object': {'type': 'string'}}, 'required': ['object']},
    ('object',), False, Effect(EffectKind.SET, object='object', state=state))
    for name, state in (('open', 'open'), ('close', 'closed')))


def fixed(name: str, shape: Shape, *words: str) -> SceneObject:
    states = States(words[-1], words, (AT,) * len(words)) if words else None
    return SceneObject(name, shape, (0.2, 0.2, 0.1), AT, movable=False, states=states)


KITCHEN = Scene('kitchen', 0.0, (
    SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.05), Pose((0.5, 0.0, -0.025)), movable=False),
    fixed('oak_cabinet', Shape.BOX),
    *(fixed(f'oak_cabinet_{level}_drawer', Shape.BIN, 'open', 'closed')
      for level in ('bottom', 'top')),
    fixed('stove', Shape.BOX, 'on', 'off'), fixed('stove_knob', Shape.BOX),
    SceneObject('black_bowl', Shape.BOWL, (0.1, 0.1, 0.05), Pose((0.4, 0.0, 0.025))),
    SceneObject('wine_bottle', Shape.CYLINDER, (0.05, 0.05, 0.2), Pose((0.3, 0.2, 0.1)))),
    'ground_truth')


def read(task: str) -> list[str]:
    reading = build_reader().read(PlanRequest(task, KITCHEN, SKILLS), lambda _, now, *more: now)
    if reading.refusal is not None:
        raise reading.refusal
    return list(map(str, final_goals(reading.orders, KITCHEN)))


@pytest.mark.parametrize(('task', 'goals'), [
    ('open the top drawer of the cabinet', ['open(oak_cabinet_top_drawer)']),
    ('open the top drawer of the oak cabinet', ['open(oak_cabinet_top_drawer)']),
    ('slide open the top drawer', ['open(oak_cabinet_top_drawer)']),
    ('pull the top drawer open', ['open(oak_cabinet_top_drawer)']),
    ('push the top drawer closed', ['closed(oak_cabinet_top_drawer)']),
    ('open the bottom layer of the cabinet', ['open(oak_cabinet_bottom_drawer)']),
    ('open the bottom layer of the drawer', ['open(oak_cabinet_bottom_drawer)']),
    ('put the bowl in the bottom drawer of the cabinet and close it',
     ['in(black_bowl, oak_cabinet_bottom_drawer)', 'closed(oak_cabinet_bottom_drawer)']),
    ('open the top drawer and put the bowl inside',
     ['open(oak_cabinet_top_drawer)', 'in(black_bowl, oak_cabinet_top_drawer)'])])
def test_what_is_of_a_thing_has_its_name_too(task: str, goals: list[str]) -> None:
    assert read(task) == goals


@pytest.mark.parametrize(('words', 'name'), [
    ('the cabinet', 'oak_cabinet'), ('the stove', 'stove'), ('the top of the stove', 'stove')])
def test_a_thing_is_what_its_last_word_says(words: str, name: str) -> None:
    assert read(f'put the bowl on {words}') == [f'on(black_bowl, {name})']


@pytest.mark.parametrize('task', [
    'open the drawer of the cabinet', 'open the drawer', 'put the bowl to the top of the cabinet'])
def test_words_for_several_drawers_or_for_none_are_no_order(task: str) -> None:
    with pytest.raises((Open, Unclear, NotUnderstood)):
        read(task)


@pytest.mark.parametrize(('task', 'goal'), [
    ('turn on the stove', 'on(stove)'), ('turn the stove off', 'off(stove)'),
    ('switch the stove on', 'on(stove)'), ('switch off the stove', 'off(stove)'),
    ('turn the bottle upright', 'upright(wine_bottle)')])
def test_a_thing_is_turned_to_how_it_should_be(task: str, goal: str) -> None:
    assert read(task) == [goal]


def test_on_is_still_a_place_where_something_can_be_on() -> None:
    assert read('turn on the stove and put the bowl on it') == [
        'on(stove)', 'on(black_bowl, stove)']


def test_what_is_pushed_beside_a_thing_should_be_there() -> None:
    assert read('push the bowl to the left of the bottle')[0].startswith(
        'left_of(black_bowl, wine_bottle)')
