# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps that a running plan no longer needs, and goals that exclude each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.agent.goal_rules import conflict
from replan_agent.agent.skipping import is_done, needless_steps
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

SPECS = standard_skills().specs()
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                    movable=False)
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.35, 0.03)))
BIN = replace(BOWL, name='bin', shape=Shape.BIN, pose=Pose((0.5, 0.5, 0.03)))
RED_IN, BLUE_IN = (Goal(Predicate.IN, name, 'bowl') for name in ('red', 'blue'))


def cube(name, x, y, z=0.02):
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)))


def scene(red=(0.45, 0.2, 0.02), blue=(0.4, 0.0, 0.02), held=None, stale=False):
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, False)
    return Scene('s', 0.0, (TABLE, BOWL, BIN, cube('red', *red), cube('blue', *blue)), 'fake',
                 arm, held, stale=stale)


def steps(*calls):
    return [Step(n, skill, args) for n, (skill, args) in enumerate(calls, 1)]


def move(thing, target):
    return ('pick', {'object': thing}), ('place_on', {'target': target})


IN_BOWL, ON_BLUE, START = (0.5, -0.35, 0.035), (0.4, 0.0, 0.06), scene()
BOTH = steps(*move('red', 'bowl'), *move('blue', 'bowl'))


def test_the_steps_for_an_object_that_got_there_by_itself_are_needless():
    now = scene(red=IN_BOWL)
    assert needless_steps(BOTH, START, now, SPECS, (RED_IN, BLUE_IN)) == {0, 1}
    assert needless_steps(BOTH, START, START, SPECS, (RED_IN, BLUE_IN)) == frozenset()


def test_what_was_only_a_part_of_a_thing_is_not_moved():
    now = replace(START, objects=START.without(['blue']))
    assert needless_steps(BOTH, START, now, SPECS, (RED_IN,), {'blue'}) == {2, 3}


def test_what_was_there_when_the_plan_began_is_moved_on_purpose():
    now = scene(red=IN_BOWL)
    assert needless_steps(BOTH, now, now, SPECS, (RED_IN, BLUE_IN)) == frozenset()


def test_nothing_is_skipped_by_an_old_picture_or_without_goals():
    assert not needless_steps(BOTH, START, scene(red=IN_BOWL, stale=True), SPECS, (RED_IN,))
    assert not needless_steps(BOTH, START, scene(red=IN_BOWL), SPECS, ())


def test_a_step_that_others_build_on_is_skipped_only_with_the_goals_met():
    unstack = steps(*move('red', 'table'), *move('blue', 'bowl'), *move('red', 'blue'))
    goals = (BLUE_IN, Goal(Predicate.STACKED, 'red', 'blue'))
    assert needless_steps(unstack, START, scene(red=ON_BLUE), SPECS, goals) == frozenset()


def test_a_failed_placement_counts_if_its_goal_is_met():
    place, spec = BOTH[1], next(s for s in SPECS if s.name == 'place_on')
    assert is_done(place, 'red', scene(red=IN_BOWL), spec, (RED_IN,))
    assert not is_done(place, 'red', scene(red=IN_BOWL), spec, ())
    assert not is_done(place, 'red', START, spec, (RED_IN,))
    assert not is_done(place, 'red', scene(red=IN_BOWL, held='red'), spec, (RED_IN,))


def at(name, x, y):
    return Goal(Predicate.AT, name, position=(x, y))


@pytest.mark.parametrize('goals', [
    (at('red', 0.5, 0.0), at('blue', 0.5, 0.01)),
    (at('red', 0.5, 0.0), at('red', 0.5, 0.3)),
    (RED_IN, Goal(Predicate.IN, 'red', 'bin')),
    (Goal(Predicate.HOLDING, 'red'), Goal(Predicate.HOLDING, 'blue')),
    (Goal(Predicate.ON, 'red', 'blue'), Goal(Predicate.STACKED, 'blue', 'red')),
    (RED_IN, replace(RED_IN, negated=True)),
])
def test_goals_that_exclude_each_other_are_named(goals):
    assert str(goals[0]) in conflict(goals, START) and str(goals[1]) in conflict(goals, START)


@pytest.mark.parametrize('goals', [
    (RED_IN, BLUE_IN), (at('red', 0.5, 0.0), at('blue', 0.5, 0.04)),
    (at('red', 0.5, 0.0), at('blue', 0.5, 0.0), Goal(Predicate.STACKED, 'red', 'blue')),
    (RED_IN, Goal(Predicate.IN, 'red', 'bin'), Goal(Predicate.IN, 'bowl', 'bin')),
    (at('bowl', 0.5, 0.1), at('red', 0.5, 0.1)),  # it can be in the bowl there
    (at('red', 0.5, 0.1), at('blue', 0.5, 0.13)),  # each may be some mm off its point
    (at('red', 0.5, 0.1), at('blue', 0.5, 0.1), Goal(Predicate.ON, 'red', 'green'),
     Goal(Predicate.ON, 'green', 'blue')),
])
def test_goals_that_may_all_hold_are_no_conflict(goals):
    assert conflict(goals, START) == ''
