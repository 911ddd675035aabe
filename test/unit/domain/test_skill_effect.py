# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a skill declares is enough to plan with: needs, effects, and the expected scene."""

from __future__ import annotations

from collections import deque

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec, find_spec, skill_that
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import judge, judge_all
from replan_agent.geometry.steps.after_step import after_step
from replan_agent.geometry.steps.forecast import Forecast

SKILLS = standard_skills().specs()
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.3, 0.03)))


def cube(name: str, x: float, y: float, z: float = 0.02) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)))


def scene(*things: SceneObject, held: str | None = None) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0, 0.5)), 0.08, at_home=False)
    return Scene('s', 0.0, (*things, BOWL, TABLE), 'fake', arm, held)


def spec(name: str) -> SkillSpec:
    found = find_spec(SKILLS, name)
    assert found is not None
    return found


def objections(name: str, now: Scene, **args: object) -> list[str]:
    return list(Forecast(now, now.held).objections(spec(name), args))


def after(name: str, now: Scene, **args: object) -> Scene:
    then = after_step(Step(1, name, args), spec(name), now)
    assert then is not None
    return then


def test_an_effect_without_a_role_that_it_needs_is_refused_by_name():
    with pytest.raises(ValueError, match='put_at must say which argument is its x and y'):
        Effect(EffectKind.PUT_AT, target='target')


@pytest.mark.parametrize('skill', SKILLS, ids=lambda skill: skill.name)
def test_every_skill_says_its_effect_with_arguments_that_it_has(skill):
    properties = set(skill.arguments['properties'])
    assert skill.effect.kind is not EffectKind.UNKNOWN
    assert set(skill.effect.roles().values()) <= properties
    assert {*skill.must_be, *skill.object_arguments, *skill.adjustable} <= properties


def test_a_skill_is_found_by_its_effect_and_by_what_its_target_must_be():
    stack = SkillSpec('pile', '', {}, effect=Effect(EffectKind.PUT_ON, target='on'),
                      must_be={'on': Fit.FLAT_ON_TOP})
    assert skill_that((stack,), EffectKind.PUT_ON, target=cube('red', 0.5, 0)) is stack
    assert skill_that((stack,), EffectKind.PUT_ON, target=BOWL) is None
    assert skill_that((stack,), EffectKind.TAKE) is None


@pytest.mark.parametrize(('name', 'args', 'held', 'words'), [
    ('pick', {'object': 'red'}, 'blue', 'holds blue'),
    ('pick', {'object': 'table'}, None, 'table is fixed'),
    ('place_on', {'target': 'table'}, None, 'which is empty'),
    ('place_on', {'target': 'red'}, 'red', 'on itself'),
    ('place_in', {'target': 'blue'}, 'red', 'not a bowl'),
    ('stack', {'target': 'bowl'}, 'red', 'only a box'),
    ('push', {'object': 'red', 'target': 'red'}, None, 'to itself'),
])
def test_each_objection_to_a_call_is_one_sentence(name, args, held, words):
    now = scene(cube('red', 0.5, 0.2), cube('blue', 0.4, 0), held=held)
    (objection,) = objections(name, now, **args)
    assert words in objection


def test_a_call_that_fits_has_no_objections():
    now = scene(cube('red', 0.5, 0.2), cube('blue', 0.4, 0))
    assert not objections('pick', now, object='red')
    assert not objections('push', now, object='red', direction='left')
    assert not objections('place_in', scene(cube('red', 0.5, 0.2), held='red'), target='bowl')


def test_the_expected_scene_follows_the_effect():
    now = scene(cube('red', 0.5, 0.2), cube('blue', 0.4, 0))
    holding = after('pick', now, object='red')
    assert holding.held == 'red'
    inside = after('place_in', holding, target='bowl')
    assert inside.held is None and judge(Goal(Predicate.IN, 'red', 'bowl'), inside)
    at = after('place_at', holding, x=0.3, y=0.1)
    assert judge(Goal(Predicate.AT, 'red', position=(0.3, 0.1)), at)
    assert after('home', now).arm.at_home
    assert after('open_gripper', holding).held is None


@pytest.mark.parametrize(('name', 'args', 'expected'), [
    ('push', {'direction': 'left', 'distance': 0.1}, (0.4, 0.1)),
    ('push', {'direction': 'forward'}, (0.48, 0.0)),  # the default of its schema
    ('pull', {'distance': 0.1}, (0.3, 0.0)),
    ('push', {'target': 'red', 'distance': 0.05}, (0.45, 0.0)),
    ('push', {'target': 'red'}, (0.55, 0.0)),  # 10 mm before it
    ('push', {'target': 'red', 'distance': 0.3}, (0.55, 0.0)),  # and no farther
])
def test_an_object_that_slides_is_expected_at_its_destination(name, args, expected):
    now = scene(cube('blue', 0.4, 0), cube('red', 0.6, 0))
    then = after(name, now, object='blue', **args)
    assert then.get('blue').position[:2] == pytest.approx(expected)


def test_what_a_slide_pushes_along_is_elsewhere_afterwards():
    now = scene(cube('red', 0.4, 0.0), cube('blue', 0.4, 0.05), cube('far', 0.4, 0.4))
    args = {'object': 'red', 'direction': 'left', 'distance': 0.1, 'along': True}
    then = after('push', now, **args)
    assert then.get('blue').position[:2] == pytest.approx((0.4, 0.14))
    coming = Forecast(now, None).after(Step(1, 'push', args), spec('push'))
    stays = [Goal(Predicate.AT, name, position=now.get(name).position[:2])
             for name in ('blue', 'far')]
    assert [coming.judge(goal) for goal in stays] == [None, True]


def test_what_lies_in_a_bowl_slides_with_it():
    now = scene(cube('red', 0.52, -0.3, 0.025))
    args = {'object': 'bowl', 'direction': 'forward', 'distance': 0.1}
    assert after('push', now, **args).get('red').position == pytest.approx((0.62, -0.3, 0.025))


def test_each_imagined_scene_has_an_id_of_its_own():
    now = scene(cube('red', 0.45, 0.1, 0.02), held='red')
    home, empty = after('home', now), after('open_gripper', now)
    assert len({now.scene_id, home.scene_id, empty.scene_id}) == 3
    assert home.held == 'red' and home.arm.at_home
    assert empty.held is None and after('open_gripper', home).arm.at_home


def calls(now: Scene):
    """Every call with objects of the scene that has no objections."""
    for skill in SKILLS:
        roles = [r for r in ('object', 'target') if r in skill.effect.roles()]
        if skill.effect.slides or skill.effect.kind is EffectKind.PUT_AT:
            continue  # they take numbers
        for thing in now.objects if roles else (None,):
            step = Step(1, skill.name, skill.effect.arguments(
                **{role: thing.name for role in roles}) if thing else {})
            if not any(Forecast(now, now.held).objections(skill, step.args)):
                yield step, after_step(step, skill, now)


def search(start: Scene, *goals: Goal, depth: int = 6) -> list[str]:
    """Breadth first over what the skills declare; no skill is known here."""
    queue = deque([((), start)])
    while queue:
        path, now = queue.popleft()
        if judge_all(goals, now):
            return [step.call for step in path]
        if len(path) < depth:
            queue.extend(((*path, step), then) for step, then in calls(now)
                         if then not in (now, start))
    return []


def test_a_plan_is_found_by_search_from_specs_alone():
    start = scene(cube('red', 0.5, 0.2), cube('blue', 0.4, 0.0), held='blue')
    found = search(start, Goal(Predicate.IN, 'red', 'bowl'), depth=3)
    assert len(found) == 3 and found[1:] == [
        "pick({'object': 'red'})", "place_on({'target': 'bowl'})"]


def test_a_direction_is_a_word_that_may_be_turned():
    effect = Effect(EffectKind.SHIFT, object='object', direction='direction', veer='veer')
    assert effect.heading({'direction': 'forward', 'veer': 30}) == pytest.approx((0.866, 0.5),
                                                                                 abs=1e-3)
    assert effect.heading({'direction': 'left'}) == pytest.approx((0.0, 1.0))
    assert effect.heading({'veer': 30}) is None
