# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random plans, right and wrong: what validation accepts is also right by an independent count.

The oracle below follows a plan on paper. It knows the skills only by their specs.
"""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec
from replan_agent.domain.skill_effect import EffectKind, Fit
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.validation import PlanValidator

SKILLS = {spec.name: spec for spec in standard_skills().specs()}
BOX = WorkspaceConfig(x_min=0.15, x_max=0.85, y_min=-0.5, y_max=0.5)
MAX_STEPS = 6
AHEAD = {'forward': (1, 0), 'back': (-1, 0), 'left': (0, 1), 'right': (0, -1)}


def thing(name: str, x: float, y: float, z: float = 0.02, shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = (0.04, 0.04, 0.04), movable: bool = True
          ) -> SceneObject:
    return SceneObject(name, shape, size, Pose((x, y, z)), movable=movable)


SCENE = Scene('s', 0.0, (
    thing('red_cube', 0.5, 0.2), thing('blue_cube', 0.8, 0.45), thing('ball', 0.3, -0.3,
                                                                      shape=Shape.SPHERE),
    thing('on_blue', 0.8, 0.45, 0.06), thing('far_cube', 0.95, 0.0),
    thing('bowl', 0.5, -0.3, 0.03, Shape.BOWL, (0.16, 0.16, 0.06)),
    thing('in_bowl', 0.5, -0.3, 0.026),
    thing('post', 0.35, 0.35, 0.1, Shape.CYLINDER, (0.05, 0.05, 0.2), movable=False),
    thing('table', 0.5, 0.0, -0.02, Shape.TABLE, (1.0, 1.2, 0.04), movable=False),
), 'by_hand', hand=PANDA.hand)
NAMES = SCENE.names()


class Paper:
    """A plan followed on paper: what the hand holds, and where things stand on the table."""

    def __init__(self) -> None:
        self.hand: str | None = None
        self.at: dict[str, tuple[float, float] | None] = {}
        self.carrier: dict[str, str | None] = {'on_blue': 'blue_cube', 'in_bowl': 'bowl'}
        for item in SCENE.objects:
            loose = item.name not in (*self.carrier, 'table')
            self.at[item.name] = item.position[:2] if loose else None

    def wrong(self, spec: SkillSpec, args: Any) -> str:
        """Why the call is wrong now; '' if it is right, and then it is done on paper."""
        return (_wrong_form(spec, args) or _wrong_objects(spec, args) or self._wrong_hand(spec)
                or self._wrong_place(spec, args) or self._do(spec, args))

    def _wrong_hand(self, spec: SkillSpec) -> str:
        wanted = spec.needs_held
        return '' if wanted is None or wanted is (self.hand is not None) else 'hand'

    def _wrong_place(self, spec: SkillSpec, args: dict[str, Any]) -> str:
        effect = spec.effect
        target, handled = args.get(effect.target), args.get(effect.object)
        if target is not None and target in (self.hand, handled):
            return 'itself'
        if effect.puts and target is not None and self.carrier.get(target) == self.hand:
            return 'on what is held'
        end = self._end(spec, args)
        if end is None:
            return ''
        inside = BOX.x_min <= end[0] <= BOX.x_max and BOX.y_min <= end[1] <= BOX.y_max
        over = 0.01 <= end[0] <= 0.99 and -0.59 <= end[1] <= 0.59  # the table, less its edge
        return '' if inside and over else 'end'

    def _end(self, spec: SkillSpec, args: dict[str, Any]) -> tuple[float, float] | None:
        effect = spec.effect
        if effect.kind is EffectKind.PUT_AT:
            return args[effect.x], args[effect.y]
        start = self.at.get(args.get(effect.object, ''))
        if effect.kind not in (EffectKind.SHIFT, EffectKind.BRING_CLOSER) or start is None:
            return None
        far = args.get(effect.distance, spec.arguments['properties'][effect.distance]['default'])
        if effect.kind is EffectKind.BRING_CLOSER:
            reach = math.hypot(*start)
            way = (-start[0] / reach, -start[1] / reach)
        elif args.get(effect.direction) in AHEAD:
            way = AHEAD[args[effect.direction]]
        else:
            return None
        return start[0] + way[0] * far, start[1] + way[1] * far

    def _do(self, spec: SkillSpec, args: dict[str, Any]) -> str:
        effect, end = spec.effect, self._end(spec, args)
        if effect.kind is EffectKind.TAKE:
            self.hand = args[effect.object]
            self.at[self.hand], self.carrier[self.hand] = None, None
        elif effect.puts or effect.kind is EffectKind.RELEASE:
            if self.hand is not None:
                self.at[self.hand], self.carrier[self.hand] = end, args.get(effect.target)
            self.hand = None
        elif effect.slides:
            self.at[args[effect.object]] = end
            self.carrier[args[effect.object]] = None
        return ''


def _wrong_form(spec: SkillSpec, args: Any) -> str:
    try:
        same = json.loads(json.dumps(args, allow_nan=False))
        jsonschema.validate(same, dict(spec.arguments))
    except (TypeError, ValueError, jsonschema.ValidationError):
        return 'form'
    return '' if isinstance(args, dict) and same == args else 'form'


def _wrong_objects(spec: SkillSpec, args: dict[str, Any]) -> str:
    for name, value in args.items():
        schema = spec.arguments['properties'][name]
        free_text = schema.get('type') == 'string' and 'enum' not in schema
        if free_text and value not in NAMES:  # every free text of our skills names an object
            return 'unknown object'
        if name in spec.object_arguments and value == 'far_cube':
            return 'outside the workspace'
    for name, fit in spec.must_be.items():
        item = SCENE.get(args.get(name, ''))
        fits = item is None or {
            Fit.MOVABLE: item.movable, Fit.CONTAINER: item.shape in (Shape.BOWL, Shape.BIN),
            Fit.FLAT_ON_TOP: item.shape in (Shape.BOX, Shape.CYLINDER)}[fit]
        if not fits:
            return 'fit'
    return ''


def wrong_goal(goal: Any) -> bool:
    if not isinstance(goal, Goal) or goal.predicate not in list(Predicate):
        return True
    if any(name is not None and name not in NAMES for name in (goal.object, goal.target)):
        return True
    point = goal.position
    if point is not None and not (isinstance(point, tuple) and all(abs(v) < 1e6 for v in point)):
        return True
    if goal.predicate in (Predicate.HOME, Predicate.HOLDING):
        return False
    if goal.predicate in (Predicate.UPRIGHT, Predicate.CLEAR):
        return goal.object is None
    if goal.predicate in (Predicate.BETWEEN, Predicate.TURNED, Predicate.IS):
        return True  # the goals here have no second target, no angle and no state
    place = point if goal.predicate is Predicate.AT else goal.target
    return goal.object is None or place is None


def wrong_plan(plan: Plan) -> str:
    """Why the plan must not run; '' if it may."""
    if not 1 <= len(plan.steps) <= MAX_STEPS:
        return 'number of steps'
    if any(map(wrong_goal, plan.goals)):
        return 'goal'
    paper = Paper()
    for position, step in enumerate(plan.steps, 1):
        if step.skill == REPLAN_STEP:
            if position < len(plan.steps) or not isinstance(step.args, dict):
                return 'replan'
            continue
        if step.skill not in SKILLS:
            return 'skill'
        why = paper.wrong(SKILLS[step.skill], step.args)
        if why:
            return f'step {position}: {why}'
    return ''


ODD = st.sampled_from([None, True, '', 'no_such_thing', 'RED_CUBE', 'red_cube ', 'table', -1, 0,
                       10 ** 30, 1e300, math.nan, math.inf, -0.0, [], ['red_cube'], {},
                       {'object': 'red_cube'}, [[[[[[[[[[]]]]]]]]]], b'red_cube', '\ud800'])


def value_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly a value that the schema allows."""
    if 'enum' in schema:
        right: st.SearchStrategy[Any] = st.sampled_from(schema['enum'])
    elif schema.get('type') == 'boolean':
        right = st.booleans()
    elif schema.get('type') == 'string':
        right = st.sampled_from(NAMES)
    else:
        right = st.floats(schema.get('minimum', -0.6), schema.get('maximum', 1.1))
    return st.integers(0, 24).flatmap(lambda n: ODD if n == 0 else right)


@st.composite
def args_for(draw: st.DrawFn, spec: SkillSpec) -> Any:
    if draw(st.integers(0, 29)) == 0:
        return draw(ODD)
    properties, needed = spec.arguments['properties'], spec.arguments.get('required', ())
    args = {name: draw(value_for(schema)) for name, schema in properties.items()
            if draw(st.integers(0, 19)) < (19 if name in needed else 6)}
    if draw(st.integers(0, 29)) == 0:
        args[draw(st.sampled_from(['z', 'object', 'target', 'x', '__class__']))] = draw(ODD)
    return args


NAMED = st.sampled_from((*SKILLS, *['pick'] * 4, *['push'] * 2, 'place_at', REPLAN_STEP, 'fly'))
CALL = NAMED.flatmap(lambda skill: st.tuples(
    st.just(skill), args_for(SKILLS[skill]) if skill in SKILLS else st.just({})))
NAME = st.one_of(st.none(), st.sampled_from(NAMES), ODD.filter(lambda v: not isinstance(v, bytes)))
GOAL = st.builds(Goal, st.sampled_from(list(Predicate)), NAME, NAME,
                 st.one_of(st.none(), st.tuples(st.floats(), st.floats()), st.just('here')))
GOALS = st.integers(0, 3).flatmap(lambda n: st.lists(GOAL if n == 0 else st.sampled_from([
    Goal(Predicate.HOLDING, 'red_cube'), Goal(Predicate.HOME)]), max_size=2))


@pytest.mark.fuzz
@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(calls=st.lists(CALL, min_size=1, max_size=MAX_STEPS + 1), goals=GOALS)
def test_what_validation_accepts_is_right_on_paper_and_the_other_way_round(
        calls: list[tuple[str, Any]], goals: list[Any]) -> None:
    steps = tuple(Step(n, skill, args) for n, (skill, args) in enumerate(calls, 1))
    plan = Plan(1, 'a task', steps, tuple(goals), PlanCause.INITIAL, None, 's', 'fuzz')
    problems = PlanValidator(BOX, MAX_STEPS)(plan, SCENE, tuple(SKILLS.values()))
    why = wrong_plan(plan)
    event('accepted' if not problems else 'refused')
    assert bool(problems) == bool(why), (
        f'validation: {problems}, on paper: {why!r}: '
        f'{[step.call for step in steps if isinstance(step.args, dict)]}')
