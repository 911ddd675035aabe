# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model's goal and plan, judged: its right goal stays, and its wrong plan is no success."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.event import WarningRaised
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.task_result import FinalReason

from .fakes import cube, scene
from .test_loop_with_model import BLUE, BOWL, HELD, PLACED, in_bowl, rig, start

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)), 'wood',
                    movable=False)
PICK, TO_BOWL = ('pick', {'object': 'red_cube'}), ('place_on', {'target': 'bowl'})
ONCE = AgentConfig(max_replans=0)


def goal(predicate, thing, target=None, **more):
    return ('set_goal', {'goals': [{'predicate': predicate, 'object': thing,
                                    **({'target': target} if target else {}), **more}]})


def at(x: float, y: float, name: str = 'red_cube') -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, 0.02)), name.split('_')[0])


def warnings(agent) -> str:
    return ' '.join(e.message for e in agent.recorder.events if isinstance(e, WarningRaised))


@pytest.mark.parametrize('task', [
    'pick up a cube and put it in the bowl',      # any of two
    'move one of the cubes into the bowl',
    'tidy the red thing away, you know where'])   # not in the grammar
def test_a_right_goal_of_a_model_is_not_replaced_by_a_guess_of_the_grammar(task):
    """The words allow the blue cube too, and the grammar would take it: it is nearer."""
    plan = [goal('in', 'red_cube', 'bowl'), PICK, TO_BOWL]
    with rig(scenes=(start(), HELD, PLACED), rules=lambda request: plan, config=ONCE
             ) as (agent, _):
        result = agent.run(task)
    assert result.goals == (Goal(Predicate.IN, 'red_cube', 'bowl'),)
    assert result.success and result.goal_verified, result.final_detail


def test_a_success_says_what_was_knocked_over():
    def can(roll: float, z: float) -> SceneObject:
        return SceneObject('can', Shape.CYLINDER, (0.05, 0.05, 0.1),
                           Pose.from_rpy(0.7, 0.2, z, roll=roll), 'grey')

    before, held, after = (replace(seen, objects=(*seen.objects, thing)) for seen, thing in (
        (start(), can(0.0, 0.05)), (HELD, can(0.0, 0.05)), (PLACED, can(math.pi / 2, 0.025))))
    plan = [goal('in', 'red_cube', 'bowl'), PICK, TO_BOWL]
    with rig(scenes=(before, held, after), rules=lambda request: plan, config=ONCE) as (agent, _):
        result = agent.run('put the red cube in the bowl')
    assert result.success and result.final_detail.endswith(': can')
    assert 'can ' in warnings(agent)


def test_a_plan_that_does_something_else_is_no_success_whatever_goal_it_names():
    plan = [goal('in', 'red_cube', 'bowl'), PICK, TO_BOWL]
    with rig(scenes=(start(), HELD, PLACED), rules=lambda request: plan, config=ONCE
             ) as (agent, _):
        result = agent.run('put the blue cube in the bowl')
    assert not result.success and result.goals == (Goal(Predicate.IN, 'blue_cube', 'bowl'),)
    assert 'by the words of the task' in warnings(agent)


def test_a_direction_without_a_landmark_is_not_met_by_a_container():
    plan = [goal('in', 'red_cube', 'bowl'), PICK, TO_BOWL]
    scenes = [scene(TABLE, *rest, held=held, n=n) for n, (rest, held) in enumerate((
        ((cube(), BLUE, BOWL), None), ((cube(), BLUE, BOWL), 'red_cube'),
        ((in_bowl(), BLUE, BOWL), None)), 1)]
    with rig(scenes=scenes, rules=lambda request: plan, config=ONCE) as (agent, _):
        result = agent.run('move the red cube to the left')
    assert not result.success, result.goals


def test_a_goal_that_was_true_before_anything_was_done_shows_nothing():
    plan = [goal('on', 'blue_cube', 'table'), PICK, ('place_on', {'target': 'table'})]
    scenes = [scene(TABLE, at(0.5, 0.0), at(0.4, 0.2, 'blue_cube'), held=held)
              for held in (None, 'red_cube', None)]
    with rig(scenes=scenes, rules=lambda request: plan, config=ONCE) as (agent, _):
        result = agent.run('do what I had in mind')
    assert not result.success and result.goal_verified is None


def test_a_model_that_says_done_is_not_believed():
    with rig(scenes=(start(),), rules=lambda request: [('done', {})], config=ONCE) as (agent, _):
        result = agent.run('put the red cube in the bowl')
    assert not result.success and result.goal_verified is False


def test_a_weaker_goal_with_a_later_plan_does_not_replace_the_first():
    first = [goal('in', 'red_cube', 'bowl'), PICK, TO_BOWL]
    later = [goal('holding', 'red_cube'), PICK]
    script = iter([first, later, later, later])
    out = scene(cube(), BLUE, BOWL, n=3)
    with rig(scenes=(start(), HELD, out, out, HELD), rules=lambda request: next(script),
             config=AgentConfig(max_replans=1)) as (agent, _):
        result = agent.run('see to the red cube as usual')
    assert not result.success and result.goals == (Goal(Predicate.IN, 'red_cube', 'bowl'),)


def test_a_plan_that_moves_what_the_task_says_to_leave_is_refused_and_nothing_moves():
    plan = [('pick', {'object': 'blue_cube'}), TO_BOWL, PICK, TO_BOWL]
    with rig(scenes=(start(),), rules=lambda request: plan, config=ONCE) as (agent, _):
        result = agent.run("put the red cube in the bowl but don't touch the blue cube")
    assert not result.success and not result.completed
    assert 'step 1 moves blue_cube' in result.final_detail


def test_what_should_stay_and_was_moved_anyway_is_no_success():
    bumped = scene(*(at(0.5, -0.4, 'blue_cube') if o.name == 'blue_cube' else o
                     for o in PLACED.objects), n=3)
    with rig(scenes=(start(), HELD, bumped), rules=lambda request: [PICK, TO_BOWL], config=ONCE
             ) as (agent, _):
        result = agent.run("put the red cube in the bowl but don't touch the blue cube")
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert 'blue_cube' in result.final_detail
