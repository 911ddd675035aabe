# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""SearchPlanner on a replan: completed steps are not repeated, but the scene counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.steps.after_step import put_down
from replan_agent.geometry.support import felt_plate
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def picked(name: str) -> CompletedStep:
    return CompletedStep(Step(1, 'pick', {'object': name}))


def placed(name: str, target: str) -> CompletedStep:
    return CompletedStep(Step(1, 'place_on', {'target': target}), name)


PICKED, PLACED = picked('red_cube'), placed('red_cube', 'bowl')
HOME, LOOKED = (CompletedStep(Step(1, skill)) for skill in ('home', 'look'))
IN_BOWL = (0.5, -0.3, 0.026)


def replan(task: str, scene: Scene, *completed: CompletedStep) -> PlanReply:
    request = PlanRequest(task, scene, SKILLS, (), completed, replan=1)
    return SearchPlanner(build_reader()).plan(request, Context())


def calls(reply: PlanReply) -> list[str]:
    return [' '.join([s.skill, *map(str, s.args.values())]) for s in reply.steps]


def moved(scene: Scene, name: str, position: tuple[float, float, float]) -> Scene:
    return replace(scene, objects=tuple(
        replace(o, pose=Pose(position)) if o.name == name else o for o in scene.objects))


def test_a_completed_pick_is_not_repeated(make_scene: MakeScene) -> None:
    reply = replan('put the red cube in the bowl', make_scene(held='red_cube'), PICKED)
    assert calls(reply) == ['place_on bowl']
    assert reply.steps[0].step_number == 1


def test_what_was_picked_and_dropped_is_picked_again(make_scene: MakeScene) -> None:
    reply = replan('put the red cube in the bowl', make_scene(), PICKED)
    assert calls(reply) == ['pick red_cube', 'place_on bowl']


def test_a_dropped_object_that_should_be_held_is_picked_again(make_scene: MakeScene) -> None:
    reply = replan('pick up the red cube and go home', make_scene(at_home=True), PICKED,
                   HOME)
    assert calls(reply) == ['pick red_cube', 'home']


def test_everything_done_and_true_is_done(make_scene: MakeScene) -> None:
    scene = moved(make_scene(), 'red_cube', IN_BOWL)
    reply = replan('put the red cube in the bowl', scene, PICKED, PLACED)
    assert reply.kind is ReplyKind.DONE
    assert [str(g) for g in reply.goals] == ['in(red_cube, bowl)']


def test_what_was_placed_and_knocked_out_is_placed_again(make_scene: MakeScene) -> None:
    reply = replan('put the red cube in the bowl', make_scene(), PICKED, PLACED)
    assert calls(reply) == ['pick red_cube', 'place_on bowl']


def test_commands_without_a_goal_are_done_once(make_scene: MakeScene) -> None:
    task = 'look, then pick up the red cube, look, and put it in the bowl'
    reply = replan(task, make_scene(held='red_cube'), LOOKED, PICKED)
    assert calls(reply) == ['look', 'place_on bowl']


def test_a_goalless_task_that_is_completed_is_done(make_scene: MakeScene) -> None:
    reply = replan('look', make_scene(), LOOKED)
    assert reply.kind is ReplyKind.DONE
    assert reply.goals == ()


def test_a_stage_on_the_way_is_not_visited_twice(make_scene: MakeScene) -> None:
    task = 'put the red cube on the blue cube, then put it in the bowl'
    reply = replan(task, make_scene(held='red_cube'), PICKED,
                   placed('red_cube', 'blue_cube'), PICKED)
    assert calls(reply) == ['place_on bowl']


def test_going_home_twice_is_not_going_home_three_times(make_scene: MakeScene) -> None:
    reply = replan('go home, pick up the red cube, go home', make_scene(held='red_cube'),
                   HOME, PICKED)
    assert calls(reply) == ['home']


def test_the_leftmost_cube_stays_the_one_that_was_picked(make_scene: MakeScene) -> None:
    scene = moved(make_scene(held='red_cube'), 'red_cube', (0.4, -0.4, 0.3))
    reply = replan('put the leftmost cube in the bowl', scene, PICKED)
    assert calls(reply) == ['place_on bowl']


def test_a_repeated_phrase_means_the_next_object_once_the_first_is_done(
        make_scene: MakeScene) -> None:
    task = 'put the leftmost cube in the bowl, then put the leftmost cube in the bowl'
    scene = moved(make_scene(held='green_cube'), 'red_cube', IN_BOWL)
    reply = replan(task, scene, PICKED, PLACED, picked('green_cube'))
    assert calls(reply) == ['place_on bowl']
    assert [str(g) for g in reply.goals] == ['in(red_cube, bowl)', 'in(green_cube, bowl)']


def test_taking_out_of_the_bowl_continues_after_the_pick(make_scene: MakeScene) -> None:
    scene = moved(make_scene(held='red_cube'), 'red_cube', (0.5, -0.3, 0.3))
    reply = replan('take the cube out of the bowl and put it on the table', scene, PICKED)
    assert calls(reply) == ['place_on table']


def test_after_a_replan_step_the_rest_is_planned(make_scene: MakeScene) -> None:
    task = 'pick up the red cube, then replan, then put it in the bowl'
    reply = replan(task, make_scene(held='red_cube'), PICKED)
    assert calls(reply) == ['place_on bowl']


def test_a_second_replan_step_ends_the_second_segment(make_scene: MakeScene) -> None:
    task = 'pick up the red cube, replan, put it in the bowl, replan, go home'
    reply = replan(task, make_scene(held='red_cube'), PICKED)
    assert calls(reply) == ['place_on bowl', '__replan__']


def test_an_object_still_not_seen_after_the_replan_fails_the_plan(make_scene: MakeScene) -> None:
    reply = replan('pick up the red cube, replan, then put it in the bin',
                   make_scene(held='red_cube'), PICKED)
    assert reply.kind is ReplyKind.FAILED
    assert reply.reason is Reason.OBJECT_NOT_FOUND


def test_a_fallen_stack_is_built_again_from_the_bottom(make_scene: MakeScene) -> None:
    reply = replan('stack the red cube on the blue cube on the green cube', make_scene(),
                   picked('blue_cube'), placed('blue_cube', 'green_cube'),
                   PICKED, placed('red_cube', 'blue_cube'))
    assert calls(reply) == ['pick blue_cube', 'place_on green_cube', 'pick red_cube',
                            'place_on blue_cube']


def test_only_the_fallen_part_of_a_stack_is_built_again(make_scene: MakeScene) -> None:
    scene = moved(make_scene(), 'blue_cube', (0.55, 0.0, 0.06))
    reply = replan('stack the red cube on the blue cube on the green cube', scene,
                   picked('blue_cube'), placed('blue_cube', 'green_cube'),
                   PICKED, placed('red_cube', 'blue_cube'))
    assert calls(reply) == ['pick red_cube', 'place_on blue_cube']


def test_an_object_in_the_gripper_by_mistake_is_put_down(make_scene: MakeScene) -> None:
    reply = replan('put the red cube in the bowl', make_scene(held='green_cube'))
    assert calls(reply) == ['place_on table', 'pick red_cube', 'place_on bowl']


def test_it_still_means_the_object_that_was_held_first(make_scene: MakeScene) -> None:
    reply = replan('put it on the table, pick up the leftmost cube, then go home',
                   make_scene(held='red_cube'), placed('green_cube', 'table'), PICKED)
    assert calls(reply) == ['home']
    assert str(reply.goals[0]) == 'on(green_cube, table)'


def test_the_description_of_a_step_does_not_matter(make_scene: MakeScene) -> None:
    named = CompletedStep(Step(1, 'pick', {'object': 'red_cube', 'force': 60}, 'grab the thing'))
    reply = replan('put the leftmost cube in the bowl', moved(
        make_scene(held='red_cube'), 'red_cube', (0.4, -0.4, 0.3)), named)
    assert calls(reply) == ['place_on bowl']


def test_a_description_alone_does_nothing(make_scene: MakeScene) -> None:
    claimed = CompletedStep(Step(1, 'look', {}, 'Move the arm home'))
    assert calls(replan('go home', make_scene(), claimed)) == ['home']


def test_a_condition_is_not_judged_again_after_a_step_changed_it(make_scene: MakeScene) -> None:
    task = ('if the bowl is empty, put the red cube in it, otherwise put it on the table. '
            'Then put the blue cube next to the bowl')
    scene = make_scene()
    first = SearchPlanner(build_reader()).plan(PlanRequest(task, scene, SKILLS), Context())
    later = PlanRequest(task, put_down(scene, 'red_cube', 'bowl'), SKILLS, goals=first.goals,
                        completed=(PICKED, PLACED), goals_certain=False)
    again = SearchPlanner(build_reader()).plan(later, Context())
    assert 'in(red_cube, bowl)' in map(str, first.goals) and again.goals == first.goals
    assert calls(again)[0] == 'pick blue_cube'


def test_one_cube_taken_out_is_enough(make_scene: MakeScene) -> None:
    scene = put_down(make_scene(), 'blue_cube', 'bowl')
    reply = replan('take one cube out of the bowl', scene, picked('red_cube'),
                   placed('red_cube', 'table'))
    assert reply.kind is ReplyKind.DONE


def test_a_small_step_is_done_once(make_scene: MakeScene) -> None:
    task, scene = 'move the red cube 2 cm to the left', make_scene()
    first = SearchPlanner(build_reader()).plan(PlanRequest(task, scene, SKILLS), Context())
    assert [s.skill for s in first.steps] == ['pick', 'place_at']
    x, y = first.goals[0].position or (0.0, 0.0)
    completed = (PICKED, CompletedStep(first.steps[1], 'red_cube'))
    later = PlanRequest(task, moved(scene, 'red_cube', (x + 0.008, y, 0.02)), SKILLS,
                        completed=completed, goals=first.goals)
    assert SearchPlanner(build_reader()).plan(later, Context()).kind is ReplyKind.DONE


def far_and_near(make_scene: MakeScene, make_object: MakeObject) -> Scene:
    """Only the blue cube stands where the arm can stack well."""
    return make_scene(make_object('red_cube', 0.2, -0.1), make_object('red_cube_2', 0.2, 0.1),
                      make_object('blue_cube', 0.5, 0.1))


@pytest.mark.parametrize('task', [
    'stack the cubes', 'stack the cubes, then put the red_cube_2 in the bowl',
    'stack the cubes, then put the top cube in the bowl', 'stack three cubes',
    'stack the cubes, then take the tower apart', 'stack the cubes and look around'])
@pytest.mark.parametrize('knows_goals', [True, False])
def test_a_tower_keeps_its_order_on_a_replan(make_scene: MakeScene, make_object: MakeObject,
                                             task: str, knows_goals: bool) -> None:
    scene = far_and_near(make_scene, make_object)
    first = replan(task, scene)
    assert calls(first)[:4] == ['pick red_cube', 'place_on blue_cube', 'pick red_cube_2',
                                'place_on red_cube']
    on_blue = moved(scene, 'red_cube', (0.5, 0.1, 0.06))
    done = (picked('red_cube'), placed('red_cube', 'blue_cube'))
    again = SearchPlanner(build_reader()).plan(PlanRequest(
        task, on_blue, SKILLS, (), done, replan=1, goals=first.goals if knows_goals else ()),
        Context())
    assert calls(again) == calls(first)[2:]


def test_a_tower_that_stands_is_not_built_again_in_another_order(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = moved(far_and_near(make_scene, make_object), 'red_cube', (0.5, 0.1, 0.06))
    assert calls(replan('stack the cubes', scene)) == ['pick red_cube_2', 'place_on red_cube']


def test_a_tower_keeps_its_order_while_a_cube_is_in_the_hand(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = far_and_near(make_scene, make_object)
    goals = replan('stack the cubes', scene).goals
    held = replace(moved(scene, 'red_cube', (0.5, -0.1, 0.3)), held='red_cube')
    again = SearchPlanner(build_reader()).plan(PlanRequest(
        'stack the cubes', held, SKILLS, (), (picked('red_cube'),), replan=1, goals=goals),
        Context())
    assert again.goals == goals


@pytest.mark.parametrize('first', ['tall_cup', 'short_cup'])
def test_a_thing_that_was_picked_is_not_taken_for_another_size(
        make_scene: MakeScene, make_object: MakeObject, first: str) -> None:
    scene = make_scene(make_object('tall_cup', 0.45, 0.2, 0.05, size=(0.05, 0.05, 0.1), colour=''),
                       make_object('short_cup', 0.55, 0.0, 0.03, size=(0.05, 0.05, 0.06),
                                   colour=''))
    reply = replan('put the tall cup to the right of the bowl, the short cup to the left of '
                   'it', scene, picked(first))
    assert [(goal.predicate.value, goal.object) for goal in reply.goals] == [
        ('right_of', 'tall_cup'), ('left_of', 'short_cup')]


@pytest.mark.parametrize('task', [
    'put the leftmost cube on the blue cube, then put it in the bowl',
    'put the leftmost and the rightmost cube in the bowl, then go home',
    'pick up the leftmost cube, look around, then put it in the bowl'])
def test_a_task_of_several_stages_goes_on_with_the_same_things(
        make_scene: MakeScene, task: str) -> None:
    first = replan(task, make_scene())
    held = moved(make_scene(held='red_cube'), 'red_cube', (0.4, -0.4, 0.3))
    again = SearchPlanner(build_reader()).plan(PlanRequest(
        task, held, SKILLS, (), (PICKED,), replan=1, goals=first.goals), Context())
    assert first.steps[0].args == {'object': 'red_cube'} and again.goals == first.goals


def test_a_stop_at_a_point_on_the_way_is_not_left_out_of_a_new_plan(make_scene: MakeScene) -> None:
    task = 'put the red cube at (0.4, 0.25), then put it at (0.6, -0.25)'
    first = replan(task, make_scene())
    again = SearchPlanner(build_reader()).plan(PlanRequest(
        task, make_scene(), SKILLS, (), (), replan=1, goals=first.goals, goals_certain=True),
        Context())
    assert 'place_at 0.4 0.25' in calls(again) == calls(first)


def test_what_was_only_felt_is_meant_by_no_word(make_scene: MakeScene) -> None:
    seen = make_scene()
    felt = felt_plate('unseen_1', (0.5, 0.1, 0.2), (0.0, 0.0, 1.0))
    task = 'put the red cube next to the closest thing'
    replies = [replan(task, scene) for scene in (
        seen, replace(seen, objects=(*seen.objects, felt)))]
    assert replies[0].goals == replies[1].goals
