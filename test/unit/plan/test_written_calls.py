# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task may be written as calls of skills, also of one that no sentence means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import SkillSpec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

HOVER = SkillSpec('hover', 'Hover over it.', {'type': 'object', 'properties': {
    'object': {'type': 'string'}, 'height': {'type': 'number'}}}, ('object',))
SKILLS = (*standard_skills().specs(), HOVER)
TWO = 'pick(object="red_cube"); place_on(target="bowl")'


def request(task: str) -> PlanRequest:
    return PlanRequest(task, SCENES['tabletop'], SKILLS)


def planned(task: str | PlanRequest) -> PlanReply:
    asked = request(task) if isinstance(task, str) else task
    return SearchPlanner(build_reader()).plan(asked, Context())


def test_a_call_of_any_skill_is_a_step() -> None:
    reply = planned("hover(object='red_cube', height=0.1)")
    assert reply.kind is ReplyKind.STEPS and reply.goals == ()
    assert reply.steps == (Step(1, 'hover', {'object': 'red_cube', 'height': 0.1}),)


@pytest.mark.parametrize('task', [
    TWO, TWO.replace(';', ' then'), TWO.replace(';', '\n'), TWO.replace('; ', ' and '), f'{TWO}.'])
def test_several_calls_are_steps_in_order(task: str) -> None:
    assert [(s.step_number, s.skill) for s in planned(task).steps] == [(1, 'pick'),
                                                                      (2, 'place_on')]


def test_the_form_in_which_plans_are_printed_can_be_typed() -> None:
    (step,) = planned('hover(object=red_cube, height=0.1)').steps
    assert step.args == {'object': 'red_cube', 'height': 0.1}
    assert planned(step.told).steps == (step,)


def test_a_hash_inside_a_text_is_part_of_it() -> None:
    assert planned('hover(object="cube #2")').steps == (Step(1, 'hover', {'object': 'cube #2'}),)


@pytest.mark.parametrize(('task', 'said'), [
    ('pick("red_cube")', 'name each argument'),
    ('pick(object=__import__("os"))', 'a value is'), ('pick(object=a.b)', 'a value is'),
    ('pick(object="a"', ''),
    ('pick(object="red_cube", object="blue_cube")', 'one argument twice'),
    ('pick(object="red_cube") # home()', 'write calls only'),
    ('pick(object="red_cube")\n# home()', 'write calls only'),
    ('pick(object="red_cube" # not the blue one\n)', 'write calls only'),
    ('pick(**{"object": "red_cube"})', 'name each argument')])
def test_what_is_no_plain_call_is_refused(task: str, said: str) -> None:
    reply = planned(task)
    assert reply.kind is not ReplyKind.STEPS and said in reply.detail and '0x' not in reply.detail


@pytest.mark.parametrize('task', ['fly(height=2)', 'put the red cube at (0.4, 0.2)',
                                  'please pick(object="red_cube") and sing'])
def test_other_words_are_read_as_a_sentence(task: str) -> None:
    assert not any(step.skill == 'hover' for step in planned(task).steps)
    assert planned(task).goals or planned(task).kind is not ReplyKind.STEPS


def test_a_step_that_is_done_is_not_done_again() -> None:
    first, second = planned(TWO).steps
    after = replace(request(TWO), completed=(CompletedStep(first),))
    assert planned(after).steps == (second,)
    both = replace(request(TWO), completed=(CompletedStep(first), CompletedStep(second)))
    assert planned(both).kind is ReplyKind.DONE


def test_a_step_that_failed_ends_the_task_with_its_reason() -> None:
    failed = Attempt(0, 'pick', {'object': 'red_cube'}, 'unreachable', 'too far')
    reply = planned(replace(request(TWO), prior_attempts=(failed,), replan=1))
    assert reply.kind is ReplyKind.GIVE_UP and 'too far' in reply.detail


def test_a_step_that_failed_in_an_earlier_run_is_tried_again() -> None:
    failed = Attempt(0, 'pick', {'object': 'red_cube'}, 'unreachable', 'too far')
    reply = planned(replace(request(TWO), prior_attempts=(failed,)))
    assert reply.steps == planned(TWO).steps
