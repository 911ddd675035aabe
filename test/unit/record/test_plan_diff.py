# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What changed from one version of a plan to another."""

from __future__ import annotations

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.record.plan_diff import difference

PICK_RED = Step(1, 'pick', {'object': 'red_cube'})
PICK_BLUE = Step(1, 'pick', {'object': 'blue_cube'})
PLACE = Step(2, 'place_in', {'target': 'bowl'})
PUSH = Step(1, 'push', {'object': 'red_cube', 'distance': 0.1})
IN_BOWL = Goal(Predicate.IN, 'red_cube', 'bowl')


def plan(version: int, *steps: Step, goals: tuple[Goal, ...] = ()) -> Plan:
    return Plan(version, 'task', steps, goals, PlanCause.INITIAL, None, 's1', 'stub')


def test_a_step_put_before_the_others_is_the_only_one_added():
    diff = difference(plan(1, PICK_RED, PLACE), plan(2, PUSH, PICK_RED, PLACE))
    assert (diff.added, diff.removed, diff.changed) == ((PUSH,), (), ())


def test_a_step_left_out_is_removed():
    assert difference(plan(1, PICK_RED, PLACE), plan(2, PLACE)).removed == (PICK_RED,)


def test_other_arguments_of_the_same_skill_are_a_change_with_before_and_after():
    diff = difference(plan(1, PICK_RED, PLACE), plan(2, PICK_BLUE, PLACE))
    assert (diff.added, diff.removed) == ((), ())
    assert diff.changed[0].arguments == {'object': ('red_cube', 'blue_cube')}


def test_an_argument_that_only_one_version_gives_is_shown():
    (change,) = difference(plan(1, PICK_RED), plan(2, Step(1, 'pick', {
        'object': 'red_cube', 'yaw': 0.5}))).changed
    assert change.arguments == {'yaw': (None, 0.5)}


def test_another_skill_in_the_same_place_is_removed_and_added():
    diff = difference(plan(1, PICK_RED), plan(2, PUSH))
    assert (diff.removed, diff.added, diff.changed) == ((PICK_RED,), (PUSH,), ())


def test_a_new_description_alone_is_not_a_change():
    said = Step(3, 'pick', {'object': 'red_cube'}, 'Take the cube')
    assert difference(plan(1, PICK_RED), plan(2, said)).same


def test_goals_are_compared_too():
    diff = difference(plan(1, PICK_RED), plan(2, PICK_RED, goals=(IN_BOWL,)))
    assert diff.goals_added == (IN_BOWL,) and not diff.same
    assert diff.as_dict()['goals_added'] == [IN_BOWL.as_dict()]


REPLAN = Step(3, '__replan__', {})


def test_steps_that_are_done_are_not_compared_with_the_next_ones_of_the_task():
    diff = difference(plan(1, PICK_RED, PLACE, REPLAN), plan(2, PICK_BLUE, PLACE), done=(0, 1))
    assert (diff.done, diff.removed, diff.changed) == ((PICK_RED, PLACE), (), ())
    assert diff.added == (PICK_BLUE, PLACE)
    assert diff.lines()[0] == f'= done: {PICK_RED.told}'


def test_a_plan_for_the_rest_is_the_same():
    diff = difference(plan(1, PICK_RED, PLACE), plan(2, PLACE), done=(0,))
    assert diff.same and diff.lines()[-1] == 'the same other steps and goals'


def test_a_step_that_is_done_again_is_added():
    assert difference(plan(1, PICK_RED), plan(2, PICK_RED), done=(0,)).added == (PICK_RED,)
