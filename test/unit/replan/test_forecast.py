# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is certain after some steps: never more than the steps themselves say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.steps.forecast import forecast

from .watched import inside, move, on, plan, scene

PICK = ('pick', {'object': 'red'})
AT = Goal(Predicate.AT, 'red', position=(0.45, 0.25))


def verdict(goal, now, *calls):
    return forecast(plan(*calls).steps, now, standard_skills().specs()).judge(goal)


def test_what_is_not_touched_stays_as_it_is():
    assert verdict(inside('red'), scene(red='bowl'), *move('green', 'bowl')) is True
    assert verdict(inside('red'), scene(), *move('green', 'bowl')) is False


def test_what_is_picked_rests_nowhere():
    assert verdict(inside('red'), scene(red='bowl'), PICK) is False


@pytest.mark.parametrize(('skill', 'target', 'goal', 'expected'), [
    ('place_in', 'bowl', inside('red'), True), ('place_on', 'bowl', inside('red'), True),
    ('stack', 'blue', on('red', 'blue'), True), ('place_on', 'table', inside('red'), False),
    ('place_on', 'green', on('red', 'blue'), False),
    ('place_on', 'bowl', on('red', 'table'), False)])
def test_a_placement_meets_its_own_goal_and_no_other(skill, target, goal, expected):
    assert verdict(goal, scene(), PICK, (skill, {'target': target})) is expected


def test_on_something_in_a_container_may_well_be_in_it_too():
    assert verdict(inside('red'), scene(blue='bowl'), *move('red', 'blue')) is None


@pytest.mark.parametrize(('x', 'expected'), [(0.45, True), (0.48, None), (0.6, False)])
def test_a_point_is_met_missed_or_too_close_to_tell(x, expected):
    assert verdict(AT, scene(), PICK, ('place_at', {'x': x, 'y': 0.25})) is expected


def test_away_from_a_point_is_certain_only_with_a_support_that_is_far():
    assert verdict(AT, scene(), *move('red', 'blue')) is False
    assert verdict(AT, scene(), *move('red', 'table')) is None


def test_a_point_beside_a_container_is_not_in_it():
    far, near = ({'x': 0.3, 'y': 0.2}, {'x': 0.5, 'y': -0.3})
    assert verdict(inside('red'), scene(), PICK, ('place_at', far)) is False
    assert verdict(inside('red'), scene(), PICK, ('place_at', near)) is None


@pytest.mark.parametrize('calls', [
    [PICK, ('open_gripper',)], [('push', {'object': 'red', 'direction': 'left'})],
    [('pull', {'object': 'red'})],
    move('bowl', 'table'), [('juggle', {'object': 'red'})]])
def test_objects_that_fall_slide_travel_or_are_juggled_are_uncertain(calls):
    assert verdict(inside('red'), scene(red='bowl'), *calls) is None


def test_the_gripper_is_followed():
    holding = Goal(Predicate.HOLDING, 'red')
    assert verdict(holding, scene(), PICK) is True
    assert verdict(holding, scene(held='red'), ('home',), ('look',)) is True
    assert verdict(holding, scene(held='red'), ('place_on', {'target': 'table'})) is False


def test_a_pull_moves_what_it_pulls_and_nothing_else():
    assert verdict(inside('blue'), scene(blue='bowl'), ('pull', {'object': 'red'})) is True


def test_a_skill_of_any_name_is_followed_by_its_effect():
    grab = SkillSpec('grab', '', {}, ('what',), effect=Effect(EffectKind.TAKE, object='what'))
    drop = SkillSpec('drop', '', {}, ('into',), effect=Effect(EffectKind.PUT_IN, target='into'))
    dance = SkillSpec('dance', '', {})
    steps = plan(('grab', {'what': 'red'}), ('drop', {'into': 'bowl'}), ('dance',)).steps
    specs = (grab, drop, replace(dance, effect=Effect(EffectKind.NONE)))
    assert forecast(steps, scene(), specs).judge(inside('red')) is True
    assert forecast(steps, scene(), (grab, drop, dance)).judge(inside('red')) is None


def test_home_is_never_forecast():
    assert verdict(Goal(Predicate.HOME), scene(), ('home',)) is None
