# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks a plan before anything moves, no matter who made it.

A model writes these plans, so nothing about a step is assumed: for any arguments the answer is a
list of problems, never an exception.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema.exceptions
import jsonschema.validators

from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.plan import Plan, PlanProblem, Step
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import REPLAN_STEP, Reason, SkillSpec
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.goal_check import goal_problems
from replan_agent.geometry.room.free_place import is_top
from replan_agent.geometry.steps.forecast import Forecast
from replan_agent.text.shown_text import shown

DEEPEST = 8  # levels of nested arguments; skills take flat ones
LONGEST_INT_BITS = 64


@dataclass(frozen=True)
class PlanValidator:
    """Finds every problem of a plan, in the scene that it was made for."""

    workspace: WorkspaceConfig
    max_steps: int

    def __call__(self, plan: Plan, scene: Scene, skills: tuple[SkillSpec, ...]
                 ) -> list[PlanProblem]:
        """The problems of a plan; empty if it may run."""
        wrong_goals = [PlanProblem(Reason.BAD_ARGUMENTS, why)
                       for why in goal_problems(plan.goals, scene)]
        return [*self._of_the_whole(plan), *wrong_goals, *self._of_steps(plan, scene, skills)]

    def _of_the_whole(self, plan: Plan) -> Iterator[PlanProblem]:
        count = len(plan.steps)
        if count == 0:
            yield PlanProblem(Reason.BAD_ARGUMENTS, 'the plan has no steps')
        if count > self.max_steps:
            yield PlanProblem(Reason.BAD_ARGUMENTS,
                              f'the plan has {count} steps; at most {self.max_steps} are allowed')
        numbers = [step.step_number for step in plan.steps]
        if not all(type(n) is int and n >= 1 for n in numbers):
            yield PlanProblem(Reason.BAD_ARGUMENTS, 'step numbers must be whole numbers from 1, '
                              f'not {shown(numbers)}')
        elif any(b <= a for a, b in zip(numbers, numbers[1:])):
            yield PlanProblem(Reason.BAD_ARGUMENTS,
                              f'step numbers must increase, not {shown(numbers)}')

    def _of_steps(self, plan: Plan, scene: Scene, skills: tuple[SkillSpec, ...]
                  ) -> Iterator[PlanProblem]:
        specs = {spec.name: spec for spec in skills}
        coming = Forecast(scene, scene.held)
        for position, step in enumerate(plan.steps, 1):
            found = list(self._of_form(step, specs))
            if _is_replan(step) and position < len(plan.steps):
                found.append(PlanProblem(Reason.PRECONDITION_FAILED, f'{REPLAN_STEP} must be the '
                                         'last step: what follows is planned after it'))
            if not _is_replan(step):
                spec = None if found else specs[step.skill]
                if spec is not None:
                    found += list(self._wrong_values(spec, step.args, scene)) or [
                        *self._out_of_bounds(spec, step.args, coming),
                        *_beside_target(spec, step.args, coming),
                        *(PlanProblem(Reason.PRECONDITION_FAILED, why, cause=coming.misuse(spec))
                          for why in coming.objections(spec, step.args))]
                coming = coming.after(step, spec)
            for problem in found:
                yield PlanProblem(
                    problem.reason, f'step {position} ({_shown(step.skill)}): {problem.detail}',
                    position - 1, problem.cause)

    def _of_form(self, step: Step, specs: Mapping[str, SkillSpec]) -> Iterator[PlanProblem]:
        """Known skill, arguments that its schema allows."""
        if not _is_replan(step) and not (isinstance(step.skill, str) and step.skill in specs):
            yield PlanProblem(Reason.UNKNOWN_SKILL,
                              f'no such skill; there are: {", ".join(specs)}')
            return
        if not isinstance(step.description, str) or not isinstance(step.expected_change, str):
            yield PlanProblem(Reason.BAD_ARGUMENTS, 'description and expected_change must be text')
        wrong = _not_json(step.args)
        if not isinstance(step.args, Mapping):
            wrong = f'arguments must be a mapping of names to values, not {_shown(step.args)}'
        if wrong:
            yield PlanProblem(Reason.BAD_ARGUMENTS, wrong)
        elif not _is_replan(step):
            yield from _of_schema(specs[step.skill], dict(step.args))

    def _wrong_values(self, spec: SkillSpec, args: Mapping[str, Any], scene: Scene
                      ) -> Iterator[PlanProblem]:
        for name in spec.object_arguments:
            value = args.get(name)
            if name in args and value not in scene.names():
                yield PlanProblem(Reason.OBJECT_NOT_FOUND,
                                  f'{name}={_shown(value)} is not in the scene, which has: '
                                  + (', '.join(scene.names()) or 'no objects'))
        for axis in ('x', 'y', 'z'):
            argument = spec.effect.roles().get(axis, axis)
            value = args.get(argument)
            low = getattr(self.workspace, f'{axis}_min')
            high = getattr(self.workspace, f'{axis}_max')
            if isinstance(value, (int, float)) and not low <= value <= high:
                yield PlanProblem(Reason.WORKSPACE_VIOLATION, f'{argument}={value:g} m is outside '
                                  f'the workspace, {low:g} to {high:g} m')

    def _out_of_bounds(self, spec: SkillSpec, args: Mapping[str, Any], coming: Forecast
                       ) -> Iterator[PlanProblem]:
        """Objects that are wholly outside the workspace, and slides that end there."""
        box = self.workspace
        for name in spec.object_arguments if spec.moves_arm else ():
            thing = coming.scene.get(args.get(name, ''))
            if thing is None or thing.name in coming.spots or thing.name == coming.held:
                continue
            half = thing.half_extents_in_base()
            for axis, centre, reach in zip('xy', thing.position, half):
                low, high = getattr(box, f'{axis}_min'), getattr(box, f'{axis}_max')
                if centre + reach < low or centre - reach > high:
                    yield PlanProblem(Reason.WORKSPACE_VIOLATION, f'{thing.name} at {axis}='
                                      f'{centre:.2f} m is outside the workspace, {low:g} to '
                                      f'{high:g} m')
        end = coming.end(spec, args) if spec.effect.slides else None
        for axis, value in zip('xy', end or ()):
            low, high = getattr(box, f'{axis}_min'), getattr(box, f'{axis}_max')
            if not low <= value <= high:
                yield PlanProblem(Reason.WORKSPACE_VIOLATION, f'it would end at {axis}='
                                  f'{value:.2f} m, outside the workspace, {low:g} to {high:g} m')


def _beside_target(spec: SkillSpec, args: Mapping[str, Any], coming: Forecast
                   ) -> Iterator[PlanProblem]:
    """A point that is not on top of the object to put something on."""
    at, name = spec.effect.point(args), spec.effect.name('target', args)
    target = coming.scene.get(name or '')
    if spec.effect.kind is not EffectKind.PUT_ON or at is None or target is None:
        return
    has_moved = target.name in coming.spots or target.name == coming.held
    if not has_moved and not target.is_container and target.shape is not Shape.TABLE and (
            not is_top(target, *at)):
        yield PlanProblem(Reason.BAD_ARGUMENTS, f'({at[0]:g}, {at[1]:g}) is not on top of '
                          f'{target.name}; without a point it is its middle')


def _of_schema(spec: SkillSpec, args: dict[str, Any]) -> Iterator[PlanProblem]:
    schema = json.dumps(dict(spec.arguments), sort_keys=True, default=str)
    wrong = _wrong_schema(schema)
    if wrong:
        yield PlanProblem(Reason.BAD_ARGUMENTS,
                          f'the argument schema of the skill is wrong: {wrong}')
        return
    usage = f'; example: {spec.example}' if spec.example else ''
    for error in _validator(schema).iter_errors(args):
        where = '.'.join(map(str, error.absolute_path))
        said = error.message if len(error.message) <= 200 else f'{error.message[:200]}...'
        yield PlanProblem(Reason.BAD_ARGUMENTS, f'{where + ": " if where else ""}{said}{usage}')


def _validator(schema: str) -> Any:
    content = json.loads(schema)
    return jsonschema.validators.validator_for(content)(content)  # Humble's has no 2020-12


@functools.cache
def _wrong_schema(schema: str) -> str:
    """What is wrong with a JSON schema, or ''. Cached: this takes 5 ms, and skills are few."""
    validator = _validator(schema)
    try:
        validator.check_schema(validator.schema)
    except jsonschema.exceptions.SchemaError as wrong:
        return str(wrong.message)
    return ''


def _not_json(value: Any, where: str = '', depth: int = 0) -> str:
    """Why the value is not plain, finite JSON; empty if it is."""
    label = where or 'the argument'
    if value is None or isinstance(value, (bool, str)):
        return ''
    if isinstance(value, int):
        return '' if value.bit_length() <= LONGEST_INT_BITS else f'{label} is too large a number'
    if isinstance(value, float):
        return '' if math.isfinite(value) else f'{label} must be a finite number, not {value}'
    if depth > DEEPEST:
        return f'{label} is nested more than {DEEPEST} levels deep'
    if isinstance(value, list):
        inner = [_not_json(v, f'{where}[{i}]', depth + 1) for i, v in enumerate(value)]
        return next(filter(None, inner), '')
    if isinstance(value, Mapping) and (depth == 0 or isinstance(value, dict)):
        bad_key = next((k for k in value if not isinstance(k, str)), None)
        if bad_key is not None:
            return f'argument names must be text, not {_shown(bad_key)}'
        inner = [_not_json(v, f'{where}.{_shown(k)}' if where else _shown(k), depth + 1)
                 for k, v in value.items()]
        return next(filter(None, inner), '')
    return f'{label} must be a JSON value, not a {type(value).__name__}'


def _shown(value: Any) -> str:
    """A value for a message: a short word as it is, anything else as its clipped repr."""
    if isinstance(value, str) and value.isidentifier() and len(value) <= 60:
        return value
    return shown(value)


def _is_replan(step: Step) -> bool:
    return isinstance(step.skill, str) and step.skill == REPLAN_STEP
