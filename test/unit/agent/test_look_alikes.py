# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A goal may move to a look-alike of what was proved impossible, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.agent.goal_rules import may_replace
from replan_agent.domain.failure import Attempt, Category, Diagnosis, Kind, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape


def cube(name: str, colour: str = 'red', side: float = 0.04) -> SceneObject:
    return SceneObject(name, Shape.BOX, (side,) * 3, Pose((0.5, 0, side / 2)), colour)


SCENE = Scene('s', 0.0, (cube('one'), cube('two'), cube('blue', 'blue'), cube('big', side=0.06)),
              'test')
HOLD_ONE = Goal(Predicate.HOLDING, 'one')


def attempt(proved: bool = True) -> Attempt:
    diagnosis = Diagnosis(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL, proved=proved)
    return Attempt(0, 'pick', {'object': 'one'}, 'unreachable', 'too far', diagnosis=diagnosis)


def test_a_look_alike_may_stand_in_for_what_was_proved_impossible():
    assert may_replace([HOLD_ONE], [replace(HOLD_ONE, object='two')], SCENE, [attempt()])


@pytest.mark.parametrize('other', ['blue', 'big', 'nowhere'])
def test_something_that_looks_different_may_not(other):
    assert not may_replace([HOLD_ONE], [replace(HOLD_ONE, object=other)], SCENE, [attempt()])


def test_without_a_proof_the_goal_stays():
    swapped = [replace(HOLD_ONE, object='two')]
    assert not may_replace([HOLD_ONE], swapped, SCENE, [attempt(proved=False)])
    assert not may_replace([HOLD_ONE], swapped, SCENE, [])


@pytest.mark.parametrize('weaker', [[], [Goal(Predicate.HOME)],
                                    [Goal(Predicate.AT, 'two', position=(0.5, 0.0))]])
def test_a_weaker_goal_is_not_the_same_goal(weaker):
    assert not may_replace([HOLD_ONE], weaker, SCENE, [attempt()])
