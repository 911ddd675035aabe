# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model over real HTTP: it plans as the search planner does, and reads failures."""

from __future__ import annotations

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import VLMConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.relations import VIEWPOINTS
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.vlm.client import ChatClient

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

CHECK = PlanValidator(WorkspaceConfig(), max_steps=60)
SKILLS = standard_skills().specs()
PICK, BLUE = ('pick', {'object': 'red_cube'}), ('pick', {'object': 'blue_cube'})
TO_BOWL, TO_TABLE = ('place_on', {'target': 'bowl'}), ('place_on', {'target': 'table'})
TASK = 'put the red cube in the bowl'


@pytest.fixture(scope='module')
def client():
    with scripted_model() as server:
        client = ChatClient(VLMConfig(server.base_url, 'fake-model', max_retries=0), {})
        yield client
        client.close()


@pytest.fixture
def ask(client, make_scene):
    def ask(task=TASK, scene=None, viewpoint='arm', **more) -> PlanReply:
        request = PlanRequest(task, scene or make_scene(), SKILLS, **more)
        return VLMPlanner(client, CHECK, build_reader(viewpoint), viewpoint=viewpoint).plan(
            request, Context())

    return ask


def calls(reply: PlanReply) -> list[tuple[str, dict]]:
    return [(step.skill, dict(step.args)) for step in reply.steps]


def failure(skill, reason, blockers=(), **args) -> Attempt:
    return Attempt(0, skill, args, reason, 'why', blockers=blockers)


@pytest.mark.parametrize('viewpoint', VIEWPOINTS)
@pytest.mark.parametrize('task', [
    TASK, 'pick up the red cube', 'stack all cubes', 'put everything into the bowl',
    'swap the red and the blue cube', 'move the blue cube to the left',
    'put the red cube to the right of the bowl', 'put the red cube in the bowl and go home',
    'build a tower of three cubes', 'put the red cube at (0.4, -0.2)', 'look around',
    'put the green cube between the red cube and the blue cube',
    'turn the red cube by 45 degrees'])
def test_it_plans_the_same_as_the_search_planner(ask, make_scene, task, viewpoint):
    searched = SearchPlanner(build_reader(viewpoint)).plan(
        PlanRequest(task, make_scene(), SKILLS), Context())
    asked = ask(task, viewpoint=viewpoint)
    assert calls(asked) == calls(searched) and searched.steps
    assert asked.goals == searched.goals and asked.goals_certain
    assert [s.description for s in asked.steps] == [s.description for s in searched.steps]


@pytest.mark.parametrize('task', ['sing a song', 'pick up the purple cat', 'pick up the cube'])
def test_it_gives_up_on_what_has_no_one_meaning(ask, task):
    reply = ask(task)
    assert reply.kind is ReplyKind.GIVE_UP and reply.detail


def test_it_continues_with_what_is_held_and_says_when_nothing_is_left(ask, make_scene):
    assert calls(ask(scene=make_scene(held='red_cube'))) == [TO_BOWL]
    assert ask('pick up the red cube', make_scene(held='red_cube')).kind is ReplyKind.DONE


def test_a_direction_does_not_move_the_thing_twice(ask, make_scene, make_object):
    """The goal of the first plan counts, and not "to the left" of where the cube is now."""
    task = 'move the red cube to the left'
    first = ask(task)
    (goal,) = first.goals
    moved = make_scene(make_object('red_cube', *goal.position))
    done = tuple(CompletedStep(step, held) for step, held in zip(first.steps, (None, 'red_cube')))
    again = ask(task, moved, goals=first.goals, completed=done)
    assert again.kind is ReplyKind.DONE


def test_what_is_unreachable_is_given_up_with_the_reason(ask):
    reply = ask('pick up the red cube', prior_attempts=(
        failure('pick', 'unreachable', object='red_cube'),))
    assert reply.kind is ReplyKind.GIVE_UP and 'unreachable' in reply.detail
    assert 'why' in reply.detail


def test_another_object_that_fits_is_tried(ask):
    first = ask('pick up a cube')
    (skill, args), = calls(first)
    (_, others), = calls(ask('pick up a cube', prior_attempts=(
        failure(skill, 'unreachable', **args),)))
    assert others['object'] != args['object']


def test_a_slip_makes_it_look_before_it_tries_again(ask):
    reply = ask('pick up the red cube', prior_attempts=(
        failure('pick', 'grasp_slipped', object='red_cube'),))
    assert calls(reply) == [('look', {}), PICK]


def test_what_a_pick_would_hit_is_moved_once_and_then_it_gives_up(ask):
    hit = failure('pick', 'in_collision', ('blue_cube',), object='red_cube')
    task, aside = 'pick up the red cube', [BLUE, TO_TABLE, ('__replan__', {})]
    assert calls(ask(task, prior_attempts=(hit,))) == aside
    moved = (CompletedStep(Step(1, *BLUE)), CompletedStep(Step(2, *TO_TABLE), 'blue_cube'))
    assert calls(ask(task, prior_attempts=(hit,), completed=moved)) == [PICK]
    assert ask(task, prior_attempts=(hit, hit), completed=moved).kind is ReplyKind.GIVE_UP


def test_what_stands_at_the_target_is_put_aside_first(ask, make_scene):
    taken = failure('place_at', 'target_occupied', x=0.4, y=-0.1)
    reply = ask('place the red cube at (0.4, -0.1)', make_scene(held='red_cube'),
                prior_attempts=(taken,))
    assert calls(reply) == [TO_TABLE, BLUE, TO_TABLE, ('__replan__', {})]


def test_guided_it_revises_what_is_not_done_yet(ask, make_scene, make_object):
    scene = make_scene(make_object('red_cube', 0.5, -0.3, 0.03),
                       make_object('blue_cube', 0.4, -0.1))
    reply = ask('put the red cube in the bowl then put the blue cube in the bowl', scene,
                suggested_plan=SuggestedPlan((SuggestedGoal('red away'),)),
                context={'optimization_guidance': 'mind the bowl'})
    (goal,) = reply.suggested_plan.goals
    assert goal.goal == Goal(Predicate.IN, 'blue_cube', 'bowl')
