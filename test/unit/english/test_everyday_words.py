"""Everyday words: typing mistakes, unknown verbs, things that must stay, what is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.english.language.spelling import edits, respelled, suggestion
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()


MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def plan(task: str, scene: Scene) -> PlanReply:
    return SearchPlanner(READER).plan(
        PlanRequest(task, scene, standard_skills().specs()), Context())


def calls(reply: PlanReply) -> list[str]:
    return [' '.join([s.skill, *map(str, s.args.values())]) for s in reply.steps]


@pytest.mark.parametrize(('a', 'b', 'count'), [
    ('red', 'red', 0), ('rde', 'red', 1), ('kichen', 'kitchen', 1), ('bowll', 'bowl', 1),
    ('cylindre', 'cylinder', 1), ('cube', 'bowl', 4)])
def test_neighbours_that_are_swapped_are_one_mistake(a: str, b: str, count: int) -> None:
    assert edits(a, b) == edits(b, a) == count


@pytest.mark.parametrize(('task', 'meant'), [
    ('put the rde cube in the bowl', "'red' where you wrote 'rde'"),
    ('prop the red cube in the bowl', "'plop' where you wrote 'prop'"),
    ('pur the red cube in the bowl', "'put' where you wrote 'pur'")])
def test_a_typing_mistake_is_asked_about_and_nothing_is_done(
        make_scene: MakeScene, task: str, meant: str) -> None:
    reply = plan(task, make_scene())
    assert reply.kind in (ReplyKind.FAILED, ReplyKind.UNRECOGNIZED)
    assert meant in reply.detail and not reply.steps and not reply.goals


@pytest.mark.parametrize('task', [
    'put teh red cube in the bowl', 'put the red cube inot the bowl',
    'ptu the red cube in the bowl',
    'putt the red cube in the bowl', 'pleese put the red cube in the bowl'])
def test_a_typing_mistake_in_a_small_word_or_a_verb_is_corrected_and_said(
        make_scene: MakeScene, task: str) -> None:
    reply = plan(task, make_scene())
    assert [str(goal) for goal in reply.goals] == ['in(red_cube, bowl)']
    assert any('read as' in warning for warning in reply.warnings)


@pytest.mark.parametrize('name', ['teh', 'ptu', 'inot'])
def test_the_name_of_an_object_is_never_corrected(
        make_scene: MakeScene, make_object: MakeObject, name: str) -> None:
    scene = make_scene(make_object(name, 0.5, 0.1))
    assert respelled(f'put {name} in the bowl', scene) == f'put {name} in the bowl'


@pytest.mark.parametrize('task', ['put the red cubes in the bowl', 'cut the red cube',
                                  'put the spoon in the bowl', 'placing the cubes'])
def test_what_is_no_typing_mistake_has_no_suggestion(make_scene: MakeScene, task: str) -> None:
    assert suggestion(task, make_scene()) == ''


def test_a_typing_mistake_in_a_condition_is_no_reason_to_do_nothing(make_scene: MakeScene) -> None:
    reply = plan('if there is a rde cube, put it in the bowl', make_scene())
    assert reply.kind is ReplyKind.FAILED and "did you mean 'red'" in reply.detail


def test_an_unknown_verb_is_named_and_never_part_of_an_object(make_scene: MakeScene) -> None:
    reply = plan('blorp the red cube into the bowl', make_scene())
    assert reply.kind is ReplyKind.UNRECOGNIZED
    assert "'blorp' is no verb" in reply.detail
    assert 'works here: "put the red cube in the bowl"' in reply.detail


def test_two_names_for_the_same_tool(make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(make_object('spanner', 0.45, 0.1))
    assert calls(plan('put the wrench in the bowl', scene)) == ['pick spanner', 'place_on bowl']


def test_what_should_stay_is_not_moved_even_if_it_is_in_the_way(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.45, 0.1),
                       make_object('blue_cube', 0.45, 0.1, 0.06))
    assert 'pick blue_cube' in calls(plan('put the red cube in the bowl', scene))
    reply = plan('put the red cube in the bowl without moving the blue cube', scene)
    assert not reply.steps
    assert 'blue_cube is in the way, and it should stay where it is' in reply.detail


def test_a_thing_cannot_be_left_and_moved(make_scene: MakeScene) -> None:
    reply = plan("put the red cube in the bowl but don't touch the red cube", make_scene())
    assert reply.reason is Reason.BAD_ARGUMENTS and not reply.steps


def test_what_is_moved_without_being_named_is_said(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.45, 0.1),
                       make_object('blue_cube', 0.45, 0.1, 0.06))
    reply = plan('put the red cube in the bowl', scene)
    assert reply.warnings == ('blue_cube is moved too: it is in the way of red_cube',)
    assert plan('put the blue cube in the bowl', scene).warnings == ()


def test_picking_up_and_putting_down_is_done_although_it_changes_nothing(
        make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube and put it down', make_scene())
    assert calls(reply) == ['pick red_cube', 'place_on table']
    assert [str(g) for g in reply.goals] == ['on(red_cube, table)']


def test_a_square_is_turned_by_a_quarter_although_it_looks_the_same(make_scene: MakeScene) -> None:
    reply = plan('give the red cube a quarter turn', make_scene())
    assert calls(reply) == ['pick red_cube', 'place_at 0.45 0.2 90.0']


def test_nothing_is_put_on_a_ball(make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.45, 0.1),
                       make_object('blue_ball', 0.5, -0.1, 0.025, Shape.SPHERE, (0.05,) * 3))
    reply = plan('put the red cube on the blue ball', scene)
    assert 'would not stay on blue_ball: blue_ball is a ball' in reply.detail and not reply.steps


def test_the_leftmost_is_not_what_was_just_put_there(make_scene: MakeScene) -> None:
    reply = plan('put the rightmost cube at (0.5, 0.4) and the leftmost in the bowl', make_scene())
    assert calls(reply)[-2:] == ['pick red_cube', 'place_on bowl']


@pytest.mark.parametrize('task', ['what do you see?', 'is there a red cube?',
                                  'what are you holding?', 'how many cubes are there'])
def test_a_question_moves_nothing_and_is_quoted_as_it_was_asked(
        make_scene: MakeScene, task: str) -> None:
    reply = plan(task, make_scene())
    assert reply.kind is ReplyKind.UNRECOGNIZED and not reply.steps and not reply.goals
    assert f"'{task}': this is a question" in reply.detail


@pytest.mark.parametrize('task', ['if there is something in the bowl, empty it',
                                  'if there is a cube in the bowl, empty it'])
def test_what_is_emptied_is_a_container(
        make_scene: MakeScene, make_object: MakeObject, task: str) -> None:
    scene = make_scene(make_object('red_cube', 0.5, -0.3, 0.026))
    assert [str(g) for g in plan(task, scene).goals] == ['clear(bowl)']
