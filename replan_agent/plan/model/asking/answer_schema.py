# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a plan: one call for each skill, with the names that the scene really has.

It uses only what the grammars of llama.cpp, vLLM and Ollama and OpenAI's strict mode understand:
objects whose properties are all required, anyOf, enum, arrays with a length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.goal import DIRECTED, MEASURED, Predicate
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec
from replan_agent.domain.skill_effect import Effect, misfit
from replan_agent.domain.suggested_plan import MOST_GOALS

from ..prompts import ASK, DONE, GIVE_UP, MOST_CANDIDATES, object_schema, own_arguments

MOST_STEPS = 24
_TEXT = {'type': 'string'}
_NUMBER = {'type': 'number'}
# The order in which a model writes its answer: what it has understood, what it does, and what is
# true then. What it has written helps it with the rest.
THOUGHT, STEPS, GOALS = FIELDS = 'thought', 'steps', 'goals'
STEPS_ALONE = (STEPS,)  # where the goal is known, and for another opinion
# Arguments of these roles say what to do. The others say how, which matters after a failure.
WHAT = ('object', 'target', 'x', 'y', 'yaw', 'direction', 'distance', 'state')
NO_PLACE = (Shape.WALL, Shape.SPHERE)  # nothing stands on it
KEPT = ('type', 'enum')  # of an argument's schema; limits are checked by the validation


def plan_schema(request: PlanRequest, asks: bool, fields: Sequence[str] = FIELDS
                ) -> dict[str, Any]:
    """The schema of an answer to the request; `asks`: a question may be the answer."""
    scene = request.scene
    calls = [object_schema({'skill': _name([name]), **arguments})
             for name, arguments in (*skill_calls(request), *_other_answers(asks))]
    movable = sum(thing.movable for thing in scene.objects)
    steps = {'type': 'array', 'minItems': 1, 'maxItems': min(MOST_STEPS, 2 * movable + 4),
             'items': {'anyOf': calls}}
    goals = {'type': 'array', 'maxItems': MOST_GOALS, 'items': {'anyOf': list(_goals(scene))}}
    parts = {THOUGHT: _TEXT, STEPS: steps, GOALS: goals}
    return object_schema({name: parts[name] for name in fields})


def skill_calls(request: PlanRequest) -> Iterator[tuple[str, dict[str, Any]]]:
    """The ways to call each skill: its name, and the schemas of the arguments of one way.

    A skill is left out if nothing in the scene fits what it needs. Arguments that only say how
    come after a failure.
    """
    for spec in request.skills if request.prior_attempts else map(in_short, request.skills):
        names = fitting_names(spec, request.scene)
        required = tuple(spec.arguments.get('required', ()))
        for more in _alternatives(spec):
            needed = (*required, *more)
            if any(names.get(argument) == [] for argument in needed):
                continue
            yield spec.name, {a: _argument(spec, a, names) for a in needed}
            others = {a for way in _alternatives(spec) for a in way}
            free = [a for a in own_arguments(spec)
                    if a not in needed and a not in others and names.get(a) != []]
            if free:
                yield spec.name, {**{a: _argument(spec, a, names) for a in needed},
                                  **{a: {'anyOf': [dict(_argument(spec, a, names)),
                                                   {'type': 'null'}]} for a in free}}


def in_short(spec: SkillSpec) -> SkillSpec:
    """The skill with the arguments that say what to do, and those that it needs."""
    roles, needed = spec.effect.roles(), spec.arguments.get('required', ())
    what = {roles[role] for role in WHAT if role in roles} | set(needed)
    kept = {name: schema for name, schema in own_arguments(spec).items() if name in what}
    effect = Effect(spec.effect.kind, **{r: name for r, name in roles.items() if name in what})
    return replace(spec, arguments={**spec.arguments, 'properties': kept}, effect=effect)


def fitting_names(spec: SkillSpec, scene: Scene) -> dict[str, list[str]]:
    """The objects that each argument may name."""
    def fits(argument: str) -> list[str]:
        fit = spec.must_be.get(argument)
        return [o.name for o in scene.objects if fit is None or not misfit(o, fit)]

    return {argument: fits(argument) for argument in spec.object_arguments}


def _alternatives(spec: SkillSpec) -> list[tuple[str, ...]]:
    """The sets of arguments of which a call needs one: a direction or a target."""
    ways: Sequence[Any] = spec.arguments.get('oneOf') or spec.arguments.get('anyOf') or ({},)
    return [tuple(way.get('required', ())) for way in ways if isinstance(way, Mapping)]


def _argument(spec: SkillSpec, argument: str, names: Mapping[str, list[str]]) -> dict[str, Any]:
    if argument in names:
        return {**_TEXT, 'enum': names[argument]}
    schema = {key: value for key, value in spec.argument_schema(argument).items() if key in KEPT}
    if 'enum' in schema and all(isinstance(value, str) for value in schema['enum']):
        schema = {**_TEXT, **schema}
    return schema or dict(_TEXT)


def _other_answers(asks: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    yield REPLAN_STEP, {}
    yield DONE, {}
    yield GIVE_UP, {'reason': _TEXT}
    if asks:
        yield ASK, {'question': _TEXT, 'candidates': {
            'type': 'array', 'items': _TEXT, 'maxItems': MOST_CANDIDATES}}


def _goals(scene: Scene) -> Iterator[dict[str, Any]]:
    """The goals that the scene allows."""
    every = _name([o.name for o in scene.objects])
    movable = [o.name for o in scene.objects if o.movable]
    containers = [o.name for o in scene.objects if o.is_container]
    places = [o.name for o in scene.objects if o.shape not in NO_PLACE and not o.is_container]
    if movable:
        thing = _name(movable)
        if containers:
            yield _goal([Predicate.IN], object=thing, target=_name(containers))
        if places:
            yield _goal([Predicate.ON, Predicate.STACKED], object=thing, target=_name(places))
        yield _goal([Predicate.NEAR, *sorted(DIRECTED)], object=thing, target=every)
        yield _goal(sorted(MEASURED), object=thing, target=every, distance=_NUMBER)
        yield _goal([Predicate.BETWEEN], object=thing, target=every, second=every)
        yield _goal([Predicate.AT], object=thing, x=_NUMBER, y=_NUMBER)
        yield _goal([Predicate.TURNED], object=thing, degrees=_NUMBER)
        yield _goal([Predicate.HOLDING, Predicate.UPRIGHT], object=thing)
    if scene.objects:
        yield _goal([Predicate.CLEAR], object=every)
    yield _goal([Predicate.HOME])


def _goal(predicates: Sequence[Predicate], **arguments: Mapping[str, Any]) -> dict[str, Any]:
    return object_schema({'predicate': _name([p.value for p in predicates]), **arguments})


def _name(names: Sequence[str]) -> dict[str, Any]:
    return {**_TEXT, 'enum': list(names)}
