# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that a skill gives to a person: what is said, planned, and left afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.steps.after_step import after_step
from replan_agent.plan.search.search_planner import SearchPlanner

PASS = SkillSpec('pass_on', 'give what is held', {'type': 'object', 'properties': {}},
                 needs_held=True, effect=Effect(EffectKind.GIVE))
SKILLS = (*standard_skills().specs(), PASS)


@pytest.fixture
def table(make_scene: Callable[..., Scene], make_object: Callable[..., object]
          ) -> Callable[..., Scene]:
    return lambda **more: make_scene(
        make_object('red_cube', 0.4, 0.2), make_object('blue_cube', 0.4, -0.2), **more)


def plan(task: str, scene: Scene, skills: tuple[SkillSpec, ...] = SKILLS, **more: object
         ) -> PlanReply:
    return SearchPlanner(build_reader()).plan(
        PlanRequest(task, scene, skills, **more), Context())


def steps(reply: PlanReply) -> list[tuple[str, str | None]]:
    return [(step.skill, step.args.get('object')) for step in reply.steps]


@pytest.mark.parametrize('task', [
    'hand me the red cube', 'give the red cube to me', 'could you pass me the red cube, please',
    'can I have the red cube?'])
def test_what_somebody_asks_for_is_taken_and_given_to_them(task, table):
    assert steps(plan(task, table())) == [('pick', 'red_cube'), ('pass_on', None)]


def test_it_is_what_is_held_and_another_thing_is_put_down_first(table):
    assert steps(plan('give it to me', table(held='red_cube'))) == [('pass_on', None)]
    first, *rest = steps(plan('give me the blue cube', table(held='red_cube')))
    assert first[0] == 'place_on' and rest == [('pick', 'blue_cube'), ('pass_on', None)]


def test_without_such_a_skill_it_is_put_down_near_the_person(table):
    reply = plan('hand me the red cube', table(), standard_skills().specs())
    assert [skill for skill, _ in steps(reply)] == ['pick', 'place_at']


def test_two_things_are_given_one_after_the_other_and_a_given_one_is_not_given_again(table):
    task, scene = 'give me the red cube, then give me the blue cube', table()
    whole = plan(task, scene)
    assert steps(whole) == [('pick', 'red_cube'), ('pass_on', None),
                            ('pick', 'blue_cube'), ('pass_on', None)]
    done = (CompletedStep(whole.steps[0], None), CompletedStep(whole.steps[1], 'red_cube'))
    assert steps(plan(task, scene, completed=done)) == [('pick', 'blue_cube'), ('pass_on', None)]


def test_what_a_person_has_is_no_place_for_anything(table):
    reply = plan('hand me the blue cube and put the red cube on it', table())
    assert not reply.steps and 'not here any more' in reply.detail


def test_after_it_the_hand_is_empty_and_the_thing_is_gone(table):
    before, spec = table(held='red_cube'), find_spec(SKILLS, 'pass_on')
    after = after_step(Step(1, 'pass_on', {}), spec, before)
    assert after is not None and after.held is None
    assert 'red_cube' not in after.names() and 'blue_cube' in after.names()
