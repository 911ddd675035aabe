# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task for several things of which some are not seen: the others come first, then a look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.goals import goals_by_words
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()
TABLE = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.04), Pose((0.6, 0.1, -0.02)),
                    movable=False)
BINS = tuple(SceneObject(f'{name}_bin', Shape.BIN, (0.15, 0.15, 0.08),
                         Pose((0.3 + 0.2 * i, 0.25, 0.04)), movable=False)
             for i, name in enumerate(('milk', 'can', 'bread')))
INTO_BINS = 'put the milk, the bread and the can into their bins'
PICKED = [('pick', 'milk'), ('place_on', 'milk_bin'), ('pick', 'can'), ('place_on', 'can_bin')]


def scene(*names: str) -> Scene:
    things = [SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4 + 0.1 * i, -0.2, 0.02)))
              for i, name in enumerate(names)]
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home=False)
    return Scene('s', 0.0, (TABLE, *things, *BINS), 'by_hand', arm, hand=PANDA.hand)


def plan(task: str, *seen: str, **more: object) -> PlanReply:
    request = PlanRequest(task, more.pop('scene', None) or scene(*seen), SKILLS)  # type: ignore
    request = replace(request, **more)
    return SearchPlanner(READER, ignores_attempts=True).plan(request, Context())


def calls(reply: PlanReply) -> list[tuple[str, ...]]:
    return [(step.skill, *map(str, step.args.values())) for step in reply.steps]


@pytest.mark.parametrize('task', [
    INTO_BINS, 'put the bread, the milk and the can into their bins',
    'put the milk in the milk bin, the bread in the bread bin and the can in the can bin'])
def test_the_things_that_are_seen_come_first_and_then_another_look(task):
    reply = plan(task, 'milk', 'can')
    assert calls(reply) == [*PICKED, ('__replan__',)]
    assert 'the bread is not seen' in reply.steps[-1].description
    assert any('the bread is not seen' in warning for warning in reply.warnings)


def test_a_part_of_a_plan_names_no_goal_and_so_cannot_be_judged_as_the_whole():
    reply = plan(INTO_BINS, 'milk', 'can')
    assert reply.goals == () and not reply.goals_certain
    request = PlanRequest(INTO_BINS, scene('milk', 'can'), SKILLS)
    assert goals_by_words(request, Context(), READER) is None


def test_the_rest_is_planned_once_it_is_seen_and_the_goal_is_the_whole_sentence():
    done = tuple(CompletedStep(Step(1, skill, {'object' if skill == 'pick' else 'target': name}),
                               'milk' if name == 'milk_bin' else 'can' if name == 'can_bin'
                               else None) for skill, name in PICKED)
    there = [replace(o, pose=Pose((b.position[0], b.position[1], 0.022)))
             for o, b in zip(scene('milk', 'can').objects[1:3], BINS)]
    bread = SceneObject('bread', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, -0.2, 0.02)))
    now = replace(scene(), objects=(TABLE, *there, bread, *BINS))
    reply = SearchPlanner(READER).plan(
        PlanRequest(INTO_BINS, now, SKILLS, completed=done), Context())
    assert calls(reply) == [('pick', 'bread'), ('place_on', 'bread_bin')]
    assert {g.object for g in reply.goals} == {'milk', 'bread', 'can'} and reply.goals_certain


def test_if_all_that_is_seen_is_done_the_refusal_names_what_is_not_seen():
    there = tuple(replace(o, pose=Pose((b.position[0], b.position[1], 0.022)))
                  for o, b in zip(scene('milk', 'can').objects[1:3], BINS))
    now = replace(scene(), objects=(TABLE, *there, *BINS))
    reply = SearchPlanner(READER).plan(PlanRequest(INTO_BINS, now, SKILLS), Context())
    assert reply.kind is ReplyKind.FAILED and reply.reason is Reason.OBJECT_NOT_FOUND
    assert reply.detail.startswith('the bread is not seen')


@pytest.mark.parametrize('task', [
    'put the bread into its bin', 'put the bread in the bread bin', 'pick up the bread'])
def test_a_bin_that_is_named_after_a_thing_is_not_the_thing(task):
    reply = plan(task, 'milk', 'can')
    assert reply.kind is ReplyKind.FAILED and reply.reason is Reason.OBJECT_NOT_FOUND
    assert 'the bread' in reply.detail and 'cannot be moved' not in reply.detail


def test_a_bin_that_is_meant_itself_cannot_be_moved():
    assert 'bread_bin cannot be moved' in plan('put the bread bin in the milk bin', 'milk').detail


@pytest.mark.parametrize('perception', ['camera', 'camera_vlm', 'robosuite_camera'])
def test_what_a_camera_does_not_see_may_be_hidden(perception):
    now = replace(scene('milk', 'can'), perception=perception)
    assert plan(INTO_BINS, scene=now).steps[-1].is_replan


def test_what_is_not_in_a_scene_from_the_simulator_is_not_there_and_nothing_moves():
    now = replace(scene('milk', 'can'), perception='ground_truth')
    goals = tuple(Goal(Predicate.IN, n, f'{n}_bin') for n in ('milk', 'bread', 'can'))
    done = (CompletedStep(Step(1, 'pick', {'object': 'bread'})),)
    for more in ({}, {'goals': goals, 'completed': done}):
        reply = plan(INTO_BINS, scene=now, **more)
        assert reply.kind is ReplyKind.FAILED and not reply.steps


@pytest.mark.parametrize('task', [
    'put the bread in the bread bin, then put the milk in the milk bin',
    'put the milk in the milk bin, then put the bread in the bread bin',
    'put the bread and then the milk in the can bin',
    'put the bread, then the milk, in the can bin',
    'put the bread in the bread bin, and then, the milk in the milk bin',
    'put the bread in the bread bin, then, put the milk in the milk bin',
    'put the bread and the milk in the can bin in this order',
    'put the bread and the milk in the can bin, in that order',
    'put the bread and the milk in the can bin one after another',
    'put the bread and the milk in the can bin. The order matters.',
    'first put the bread in the bread bin and the milk in the milk bin',
    'first, put the bread in the bread bin and the milk in the milk bin',
    'firstly, put the bread in the bread bin and put the milk in the milk bin',
    'to begin with put the bread in the bread bin and put the milk in the milk bin',
    'put the bread in the bread bin and finally the milk in the milk bin',
    '1. put the bread in the bread bin 2. put the milk in the milk bin',
    'put the bread in the bread bin. Put the milk in the milk bin.',
    'put the bread and the milk into their bins and go home'])
def test_nothing_moves_if_an_order_may_be_said(task):
    reply = plan(task, 'milk', 'can')
    assert reply.kind in (ReplyKind.FAILED, ReplyKind.UNRECOGNIZED) and not reply.steps


@pytest.mark.parametrize('task', [
    'put the bread in the bread bin, then put the milk in the milk bin',
    'first put the bread in the bread bin and the milk in the milk bin',
    'if the bread bin is empty, put the bread in the bread bin and the milk in the milk bin',
    'put the bread in the bread bin and the rest in the milk bin'])
def test_nothing_moves_for_known_goals_either_if_their_words_say_an_order(task):
    goals = tuple(Goal(Predicate.IN, n, f'{n}_bin') for n in ('bread', 'milk'))
    done = (CompletedStep(Step(1, 'look')),)
    reply = plan(task, 'milk', goals=goals, completed=done)
    assert reply.kind is ReplyKind.FAILED and not reply.steps


@pytest.mark.parametrize(('width', 'more', 'begins'), [
    (0.04, {'completed': (('pick', 'object', 'bread'),)}, False),  # it is in the hand, perhaps
    (0.04, {'prior_attempts': ('bread',)}, False),  # taken, and not seen to be
    (0.04, {}, False),  # what the hand did before the task is not known
    (0.04, {'prior_attempts': ('milk',)}, True),  # it did not take it: it is seen
    (0.04, {'completed': (('pick', 'object', 'can'), ('place_on', 'target', 'can_bin'))}, True),
    (0.08, {'completed': (('pick', 'object', 'bread'),)}, True),  # open: it fell
    (0.001, {'completed': (('pick', 'object', 'bread'),)}, True)])  # closed: it slipped out
@pytest.mark.parametrize('has_goals', [False, True])
def test_the_hand_does_not_open_for_another_thing_while_it_may_hold_what_is_not_seen(
        width, more, begins, has_goals):
    now = scene('milk', 'can')
    now = replace(now, arm=replace(now.arm, gripper_width=width))
    steps = [Step(1, skill, {role: name}) for skill, role, name in more.get('completed', ())]
    steps = steps or [Step(1, 'look')]
    tried = tuple(Attempt(0, 'pick', {'object': name}, 'grasp_missed', '')
                  for name in more.get('prior_attempts', ()))
    goals = tuple(Goal(Predicate.IN, n, f'{n}_bin') for n in ('milk', 'bread', 'can'))
    reply = plan(INTO_BINS, scene=now, completed=tuple(map(CompletedStep, steps)),
                 prior_attempts=tried, goals=goals if has_goals else ())
    assert bool(reply.steps) is begins, reply.detail


@pytest.mark.parametrize(('task', 'why'), [
    ('put the milk and the butter into their bins', 'the butter has no bin'),
    ('put the milk in the milk bin and the bread in the bin', 'there are three bins'),
    ('put the milk in the milk bin and the bread in the drawer', 'there is no drawer'),
    ('put the bread in the bread bin, the milk in the milk bin and the box in the can bin',
     'there are two boxes'),
    ('put the bread in the bread bin, the milk in the milk bin and the gizmo in the can bin',
     'nobody knows that word'),
    ('put the bread in the bread bin, the milk in the milk bin and the can on the moon',
     'there is no moon'),
    ('put the bread in the bread bin, the milk in the milk bin and the can bin on the milk',
     'it cannot be moved'),
    ('put the milk in the milk bin and the tower in the can bin', 'a tower is no thing'),
    ('put the milk in the milk bin and the wall in the can bin', 'a wall does not move'),
    ('put the bread on the milk and the milk in the milk bin', 'the milk is needed where it is'),
    ('if there is a can, put the milk in the milk bin and the bread in the bread bin', 'an if'),
    ('put the bread in the bread bin and the rest in the milk bin', 'it may be one of the rest'),
    ('put the bread in the bread bin and everything else in the milk bin', 'the same'),
    ('put the milk in the milk bin and the bread next to the can', 'not in or on something'),
    ('put the milk in the milk bin and two breads in the bread bin', 'a number'),
    ('put the milk in the milk bin and the gizmo in the can bin', 'nobody knows that word')])
def test_nothing_moves_if_an_order_depends_on_what_is_not_seen(task, why):
    reply = plan(task, 'milk', 'can')
    assert reply.kind is ReplyKind.FAILED and not reply.steps, why


@pytest.mark.parametrize('task', [
    'put the milk and the bread on the cheese',
    'put the milk on the cheese and the bread on the cheese'])
def test_nothing_moves_if_what_is_seen_would_take_the_place_of_what_is_not(task):
    assert not plan(task, 'milk', 'cheese').steps


@pytest.mark.parametrize('last', [
    'the box in the can bin', 'the gizmo in the can bin', 'the can on the moon',
    'the can bin in the bread bin', 'the can on the wall'])
def test_nothing_moves_if_what_comes_later_cannot_be_read(last):
    task = f'put the milk in the milk bin and the bread in the bread bin, then put {last}'
    assert not plan(task, 'milk', 'can').steps


def test_nothing_moves_if_another_thing_is_ambiguous():
    cans = [SceneObject(f'can_{i}', Shape.CYLINDER, (0.04, 0.04, 0.06), Pose((0.3 + i / 5, 0, 0)))
            for i in (1, 2)]
    now = replace(scene('milk'), objects=(*scene('milk').objects, *cans))
    reply = SearchPlanner(READER).plan(PlanRequest(INTO_BINS, now, SKILLS), Context())
    assert reply.reason is Reason.AMBIGUOUS_OBJECT and not reply.steps


@pytest.mark.parametrize('task', [
    'put the bread in the bread bin and the white one in the milk bin',
    'put the bread in the bread bin and the thing in the milk bin',
    'put the milk in the empty bin and the bread in the bread bin',
    'put the bowl in the bread bin and the milk in the milk bin',
    'put the bread in the bread bin.. the milk in the milk bin'])
def test_nothing_moves_if_words_may_mean_what_is_not_seen(task):
    assert not plan(task, 'milk').steps


def test_nobody_is_asked_about_a_thing_that_is_not_there():
    cubes = replace(scene(), objects=(TABLE, *BINS, SceneObject(
        'red_cube', Shape.BOX, (0.04,) * 3, Pose((0.4, -0.2, 0.02)), 'red')))
    reply = plan('put the cube in the milk bin and the blue cube in the can bin', scene=cubes)
    assert not reply.steps and 'blue_cube' not in reply.detail


@pytest.mark.parametrize('perception', ['by_hand', 'ground_truth'])
@pytest.mark.parametrize(('name', 'said'), [
    ('drawer_top', 'drawer'), ('sink_left', 'sink'), ('recycling_bin', 'recycling')])
def test_a_fixed_container_is_found_by_a_part_of_its_name(perception, name, said):
    there = SceneObject(name, Shape.BIN, (0.15, 0.15, 0.08), Pose((0.5, 0.25, 0.04)),
                        movable=False)
    seen = scene('milk')
    seen = replace(seen, perception=perception, objects=(*seen.objects[:2], there))
    reply = plan(f'put the milk in the {said}', scene=seen)
    assert calls(reply) == [('pick', 'milk'), ('place_on', name)]


def test_nothing_moves_if_the_name_may_be_a_typing_mistake():
    reply = plan('put the milk and the braed into their bins', 'milk')
    assert reply.kind is ReplyKind.FAILED and "did you mean 'bread'" in reply.detail


def test_a_thing_that_is_lost_on_the_way_does_not_stop_the_others():
    """The goals are known by then: the names count, not the words."""
    goals = tuple(Goal(Predicate.IN, n, f'{n}_bin') for n in ('milk', 'bread', 'can'))
    done = CompletedStep(Step(1, 'pick', {'object': 'bread'}))
    reply = plan(INTO_BINS, 'milk', 'can', goals=goals, completed=(done,))
    assert calls(reply) == [*PICKED, ('__replan__',)]
    reply = plan(INTO_BINS, goals=goals[1:2], completed=(done,))
    assert reply.reason is Reason.OBJECT_NOT_FOUND and 'bread is not seen' in reply.detail


def test_a_tower_does_not_begin_without_the_thing_in_its_middle():
    goals = (Goal(Predicate.ON, 'milk', 'bread'), Goal(Predicate.ON, 'bread', 'can'))
    done = CompletedStep(Step(1, 'look'))
    reply = plan('put the bread on the can and the milk on the bread', 'milk', 'can',
                 goals=goals, completed=(done,))
    assert reply.kind is ReplyKind.FAILED and not reply.steps


def test_steps_that_were_just_done_for_the_others_are_not_done_again():
    done = tuple(CompletedStep(Step(i, skill, {'object' if skill == 'pick' else 'target': name}))
                 for i, (skill, name) in enumerate(PICKED, 1))
    reply = plan(INTO_BINS, 'milk', 'can', completed=done)
    assert reply.kind is ReplyKind.FAILED and reply.reason is Reason.OBJECT_NOT_FOUND
    assert 'does not show in(milk, milk_bin), in(can, can_bin)' in reply.detail
    assert 'the bread is not seen' in reply.detail


@pytest.mark.parametrize('perception, said', [('camera', 'seen is only 1 (red_cube)'),
                                              ('ground_truth', 'there are only 1 (red_cube)')])
def test_of_things_that_may_be_hidden_only_what_is_seen_is_counted(perception, said):
    seen = replace(scene('red_cube'), perception=perception)
    assert said in plan('put two cubes in the milk bin', scene=seen).detail
