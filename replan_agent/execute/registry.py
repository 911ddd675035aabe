# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The available skills, by name. Each spec is checked against itself before plans use it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec
from replan_agent.domain.skill_effect import Fit

from .contract import Skill

# What a step is about. A retry must not change it.
FIXED_ROLES = ('object', 'target', 'x', 'y')
CAUSES = tuple(cause.value for cause in Cause)


class Registry:
    """An ordered set of skills. Names are unique."""

    def __init__(self, skills: Iterable[Skill] = (), checked: Iterable[Skill] = ()) -> None:
        """`checked` are skills of ours, whose specs a test has checked: it takes a while."""
        self._skills = {skill.spec.name: skill for skill in checked}
        for skill in skills:
            self.add(skill)

    def add(self, skill: Skill) -> None:
        """Add a skill. Raises TypeError or ValueError if it or its spec cannot be used."""
        if not isinstance(skill, Skill):
            example = f'{skill.__name__}()' if isinstance(skill, type) else 'Wave()'
            raise TypeError(f'a skill must be an object of a subclass of Skill, for example '
                            f'{example}, not {skill!r}')
        if not isinstance(getattr(skill, 'spec', None), SkillSpec):
            raise TypeError(f'{type(skill).__name__}.spec must be a SkillSpec')
        check_spec(skill.spec)
        if skill.spec.name in self._skills:
            raise ValueError(f'a skill named {skill.spec.name!r} is registered already')
        self._skills[skill.spec.name] = skill

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._skills)

    def specs(self) -> tuple[SkillSpec, ...]:
        return tuple(skill.spec for skill in self._skills.values())


def check_spec(spec: SkillSpec) -> None:
    """Raise ValueError with each wrong field, and with what is allowed in it."""
    problems = [*_schema_problems(spec)] or [*_field_problems(spec)]
    if problems:
        raise ValueError(f'skill {spec.name!r}: {"; ".join(problems)}')


def _schema_problems(spec: SkillSpec) -> Iterator[str]:
    if not isinstance(spec.name, str) or not spec.name or spec.name == REPLAN_STEP:
        yield f'name: must be a text other than {REPLAN_STEP!r}'
    for field in ('arguments', 'adjustments', 'variants'):
        try:
            _json(getattr(spec, field))
        except (TypeError, ValueError) as error:
            yield f'{field}: cannot be written as JSON: {error}'
            return
    schema = spec.arguments
    if not isinstance(schema, Mapping) or schema.get('type') != 'object':
        yield "arguments: must be a JSON schema with 'type': 'object'"
        return
    wrong = _schema_problem(_json(schema))
    if wrong:
        yield f'arguments: is not a valid JSON schema: {wrong}'


@lru_cache(maxsize=256)  # each agent checks the same skills
def _schema_problem(schema_json: str) -> str:
    """What is wrong with a JSON schema; '' if nothing is."""
    from jsonschema.exceptions import SchemaError  # slow
    from jsonschema.validators import validator_for
    schema = json.loads(schema_json)
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        return str(error.message)
    return ''


def _field_problems(spec: SkillSpec) -> Iterator[str]:
    properties, roles = tuple(spec.arguments.get('properties', {})), spec.effect.roles()
    yield from _unknown('effect', roles.values(), (*properties, spec.effect.state))
    yield from _unknown('object_arguments', spec.object_arguments, properties)
    yield from _unknown('must_be', spec.must_be, properties)
    for name, fit in spec.must_be.items():
        if not isinstance(fit, Fit):
            yield f'must_be {name!r}: {fit!r} must be one of: {", ".join(map(str, Fit))}'
    yield from _unknown('adjustable', spec.adjustable, properties)
    fixed = [roles[role] for role in FIXED_ROLES if role in roles]
    yield from _unknown('adjustable', set(spec.adjustable) & set(properties),
                        tuple(name for name in properties if name not in fixed))
    yield from _unknown('adjustments', spec.adjustments, CAUSES)
    for cause, changes in spec.adjustments.items():
        for change in changes:
            yield from _unknown(f'adjustments {cause!r}', change, spec.adjustable)
    for name, way in spec.variants.items():
        yield from _unknown(f'variants {name!r}', way, properties)
    moved = spec.effect.object if spec.effect.takes or spec.effect.slides else ''
    if moved in properties and spec.must_be.get(moved) is not Fit.MOVABLE:
        yield (f'must_be: {moved!r} must be {Fit.MOVABLE.value!r}, because the effect is '
               f'{spec.effect.kind.value}')


def _unknown(field: str, names: Iterable[str], allowed: tuple[str, ...]) -> Iterator[str]:
    """A sentence for each name that is not allowed."""
    for name in names:
        if name not in allowed:
            yield f'{field}: {name!r} is not one of: {", ".join(allowed) or "(none)"}'


def _json(value: Any) -> str:
    """The value as JSON text. Raises TypeError or ValueError if it cannot be written."""
    return json.dumps(value, allow_nan=False, default=_as_dict)


def _as_dict(value: Any) -> dict[Any, Any]:
    """A mapping of any kind as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f'Object of type {type(value).__name__} is not JSON serializable')
