# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nothing moves that was not validated: each kind of problem, and anything a model may write."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.plan import Plan, PlanCause, PlanProblem, Step
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import REPLAN_STEP, Reason, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.validation import PlanValidator

MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]
Check = Callable[..., list[PlanProblem]]

PICK = ('pick', {'object': 'red_cube'})
PLACE = ('place_on', {'target': 'bowl'})


@pytest.fixture
def check(make_scene: MakeScene, skills: tuple[SkillSpec, ...]) -> Check:
    """The problems of (skill, args) steps in the default scene."""

    def run(*steps: tuple[Any, Any], scene: Scene | None = None, max_steps: int = 20
            ) -> list[PlanProblem]:
        numbered = tuple(Step(n, skill, args) for n, (skill, args) in enumerate(steps, 1))
        return validate(numbered, scene or make_scene(), skills, max_steps)

    return run


def validate(steps: tuple[Step, ...], scene: Scene, skills: tuple[SkillSpec, ...],
             max_steps: int = 20) -> list[PlanProblem]:
    plan = Plan(1, 'a task', steps, (), PlanCause.INITIAL, None, 'scene-1', 'test')
    return PlanValidator(WorkspaceConfig(), max_steps)(plan, scene, skills)


def test_a_sound_plan_has_no_problems(check: Check) -> None:
    assert check(('look', {}), PICK, PLACE, ('pick', {'object': 'blue_cube'}),
                 ('place_at', {'x': 0.4, 'y': -0.2}), ('home', {}), ('open_gripper', {})) == []


@pytest.mark.parametrize(('before', 'wrong'), [
    ((), True), ((('pick', {'object': 'blue_cube'}), ('place_at', {'x': 0.3, 'y': 0.3})), False)])
def test_a_point_beside_the_target_is_refused_before_anything_moves(
        make_scene: MakeScene, before: tuple[Any, ...], wrong: bool) -> None:
    steps = (*before, PICK, ('place_on', {'target': 'blue_cube', 'x': 0.3, 'y': 0.3}))
    numbered = tuple(Step(n, skill, args) for n, (skill, args) in enumerate(steps, 1))
    found = validate(numbered, make_scene(), standard_skills().specs())
    assert ['blue_cube' in problem.detail for problem in found] == [True] * wrong


def test_arguments_may_be_any_mapping(check: Check) -> None:
    assert check(('pick', MappingProxyType({'object': 'red_cube'}))) == []


@pytest.mark.parametrize(('steps', 'reason', 'words'), [
    ([('fly', {})], Reason.UNKNOWN_SKILL, ['step 1 (fly)', 'pick, place_on', 'look']),
    ([('pick', {})], Reason.BAD_ARGUMENTS, ["'object' is a required", 'pick(object="red_cube")']),
    ([('pick', {'object': 5})], Reason.BAD_ARGUMENTS, ['object: 5 is not of type']),
    ([('pick', {'object': 'red_cube', 'speed': 1})], Reason.BAD_ARGUMENTS, ["'speed'"]),
    ([('pick', {'object': 'purple_cube'})], Reason.OBJECT_NOT_FOUND,
     ['object=purple_cube', 'red_cube', 'bowl', 'table']),
    ([PICK, ('place_on', {'target': 'moon'})], Reason.OBJECT_NOT_FOUND, ['step 2', 'target=moon']),
    ([PICK, ('place_at', {'x': 9, 'y': 0})], Reason.WORKSPACE_VIOLATION,
     ['x=9 m', '-0.9 to 1.5 m']),
    ([PICK, ('place_at', {'x': 0.4, 'y': -1.5})], Reason.WORKSPACE_VIOLATION, ['y=-1.5 m']),
    ([PICK, ('place_at', {'x': math.nan, 'y': 0})], Reason.BAD_ARGUMENTS, ['x must be a finite']),
    ([PICK, ('place_at', {'x': 0, 'y': -math.inf})], Reason.BAD_ARGUMENTS, ['y must be a finite']),
    ([PICK, ('place_at', {'x': 10 ** 5000, 'y': 0})], Reason.BAD_ARGUMENTS, ['too large']),
    ([PICK, ('place_at', {'x': True, 'y': 0})], Reason.BAD_ARGUMENTS, ['x: True is not']),
    ([PLACE], Reason.PRECONDITION_FAILED, ['must be in the gripper']),
    ([PICK, PICK], Reason.PRECONDITION_FAILED, ['step 2', 'holds red_cube']),
    ([PICK, ('open_gripper', {}), PLACE], Reason.PRECONDITION_FAILED, ['step 3', 'empty']),
    ([PICK, PLACE, ('place_at', {'x': 0.4, 'y': 0})], Reason.PRECONDITION_FAILED, ['step 3']),
    ([('pick', {'object': 'table'})], Reason.PRECONDITION_FAILED, ['table is fixed']),
    ([PICK, ('place_on', {'target': 'red_cube'})], Reason.PRECONDITION_FAILED, ['on itself']),
    ([(REPLAN_STEP, {}), ('home', {})], Reason.PRECONDITION_FAILED, ['must be the last']),
    ([(REPLAN_STEP, 'now')], Reason.BAD_ARGUMENTS, ['must be a mapping']),
    ([('pick', ['red_cube'])], Reason.BAD_ARGUMENTS, ['must be a mapping', "['red_cube']"]),
    ([('home', None)], Reason.BAD_ARGUMENTS, ['must be a mapping', 'None']),
    ([('pick', {'object': b'red_cube'})], Reason.BAD_ARGUMENTS, ['a JSON value, not a bytes']),
    ([('home', {7: 'x'})], Reason.BAD_ARGUMENTS, ['names must be text, not 7']),
    ([(['pick'], {})], Reason.UNKNOWN_SKILL, ["['pick']", 'no such skill']),
    ([(None, {})], Reason.UNKNOWN_SKILL, ['None']),
    ([], Reason.BAD_ARGUMENTS, ['no steps']),
])
def test_each_problem_is_one_sentence_with_its_reason(
        steps: list[tuple[Any, Any]], reason: Reason, words: list[str], check: Check) -> None:
    problems = check(*steps)
    assert [p.reason for p in problems] == [reason]
    assert all(word in problems[0].detail for word in words), problems[0].detail


def test_all_problems_are_found_at_once(check: Check) -> None:
    problems = check(('fly', {}), ('pick', {'object': 'ghost'}), ('place_at', {'x': 9, 'y': 9}))
    assert [p.reason for p in problems] == [
        Reason.UNKNOWN_SKILL, Reason.OBJECT_NOT_FOUND, Reason.WORKSPACE_VIOLATION,
        Reason.WORKSPACE_VIOLATION]


def test_a_broken_step_is_not_blamed_on_the_next(check: Check) -> None:
    assert len(check(('pick', {}), PLACE)) == 1
    assert len(check(('fly', {}), PLACE)) == 1


def test_what_is_held_at_the_start_counts(check: Check, make_scene: MakeScene) -> None:
    holding = make_scene(held='blue_cube')
    assert check(PLACE, scene=holding) == []
    assert 'holds blue_cube' in check(PICK, scene=holding)[0].detail
    assert 'on itself' in check(('place_on', {'target': 'blue_cube'}), scene=holding)[0].detail


def test_a_replan_may_be_the_last_step(check: Check) -> None:
    assert check(PICK, (REPLAN_STEP, {})) == []


def test_too_many_steps(check: Check) -> None:
    assert check(*[('look', {})] * 3, max_steps=3) == []
    problem, = check(*[('look', {})] * 4, max_steps=3)
    assert re.findall(r'\d+', problem.detail) == ['4', '3']


@pytest.mark.parametrize('numbers', [(1, 1), (2, 1), (0, 1), (1, 'two'), (1, None), (True, 2),
                                     (1, 2.0), (1, -(10 ** 5000))])
def test_step_numbers_must_increase(numbers: tuple[Any, Any], make_scene: MakeScene,
                                    skills: tuple[SkillSpec, ...]) -> None:
    problem, = validate(tuple(Step(n, 'look') for n in numbers), make_scene(), skills)
    assert problem.reason is Reason.BAD_ARGUMENTS


def test_a_description_must_be_text(make_scene: MakeScene,
                                    skills: tuple[SkillSpec, ...]) -> None:
    step = Step(1, 'look', {}, description=['a'])  # type: ignore[arg-type]
    assert 'must be text' in validate((step,), make_scene(), skills)[0].detail


def test_a_wrong_schema_is_a_problem_of_the_skill(make_scene: MakeScene) -> None:
    broken = SkillSpec('home', '', {'type': 'nonsense'})
    problem, = validate((Step(1, 'home'),), make_scene(), (broken,))
    assert problem.reason is Reason.BAD_ARGUMENTS and 'schema' in problem.detail


def test_a_number_too_long_to_write_out_is_a_problem(check: Check) -> None:
    huge = 10 ** 5000  # repr() of it raises
    steps: list[Any] = [('pick', {'object': [huge]}), ('pick', huge), (huge, {}),
                        ('home', {huge: 1})]
    assert [len(check(step)) for step in steps] == [1, 1, 1, 1]


def test_a_cyclic_argument_is_a_problem(check: Check) -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    assert check(('home', {'a': cycle}))[0].reason is Reason.BAD_ARGUMENTS


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(),
              st.sampled_from(['red_cube', 'table', 'x', 10 ** 400, '\ud800'])),
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner),
                            st.dictionaries(st.one_of(st.text(), st.integers()), inner)),
    max_leaves=10)
SKILLS = ('pick', 'place_on', 'place_at', 'home', REPLAN_STEP)
ARGUMENTS = st.one_of(ANYTHING, st.dictionaries(
    st.one_of(st.sampled_from(['object', 'target', 'x', 'y']), st.text()), ANYTHING))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.one_of(st.sampled_from(SKILLS), ANYTHING), ARGUMENTS),
                      max_size=3))
@example(steps=[('place_at', {'x': 10 ** 400, 'y': {'a': [math.nan]}})])
@example(steps=[('pick', {'object': {'\ud800': 10 ** 400}})])
def test_nothing_a_model_writes_raises(steps: list[tuple[Any, Any]], check: Check) -> None:
    for problem in check(*steps):
        assert problem.detail.encode('utf-8')  # can be written to a log


@pytest.mark.parametrize(('args', 'reason'), [
    ({'object': 'red_cube', 'target': 'no_such_thing'}, Reason.OBJECT_NOT_FOUND),
    ({'object': 'red_cube', 'target': 'red_cube'}, Reason.PRECONDITION_FAILED),
    ({'object': 'table', 'direction': 'left'}, Reason.PRECONDITION_FAILED),
])
def test_the_pushed_object_and_its_target_must_be_there_and_fit(
        args: dict[str, Any], reason: Reason, make_scene: MakeScene) -> None:
    problems = validate((Step(1, 'push', args),), make_scene(), standard_skills().specs())
    assert [problem.reason for problem in problems] == [reason]


def test_an_object_that_need_not_be_named_may_be_left_out(make_scene: MakeScene) -> None:
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left'})
    assert validate((push,), make_scene(), standard_skills().specs()) == []


def test_a_target_must_be_what_the_skill_needs(make_scene: MakeScene) -> None:
    take = Step(1, 'pick', {'object': 'red_cube'})
    for skill, target, word in (('place_in', 'blue_cube', 'not a bowl'),
                                ('stack', 'bowl', 'only a box or a cylinder')):
        plan = (take, Step(2, skill, {'target': target}))
        (problem,) = validate(plan, make_scene(), standard_skills().specs())
        assert problem.reason is Reason.PRECONDITION_FAILED and word in problem.detail


@pytest.mark.parametrize(('args', 'wrong'), [
    ({'ahead': 9.0, 'aside': 0.1, 'up': 0.3}, 'ahead=9 m'),
    ({'ahead': 0.4, 'aside': -9.0, 'up': 0.3}, 'aside=-9 m'),
    ({'ahead': 0.4, 'aside': 0.1, 'up': 9.0}, 'up=9 m')])
def test_a_position_is_checked_whatever_its_arguments_are_called(
        make_scene: MakeScene, args: dict[str, float], wrong: str) -> None:
    point = SkillSpec('point', '', {'type': 'object'}, effect=Effect(
        EffectKind.NONE, x='ahead', y='aside', z='up'))
    (problem,) = validate((Step(1, 'point', args),), make_scene(), (point,))
    assert problem.reason is Reason.WORKSPACE_VIOLATION and wrong in problem.detail
