# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What breaks in a firm grip: by its name, as the settings say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.kinds import matches
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import SkillSpec


def gentle(skill: SkillSpec, step: Step, fragile: Sequence[str]) -> SkillSpec:
    """The skill as it may be changed for this step: never more force on what is fragile."""
    force = skill.effect.roles().get('force', '')
    name = skill.acts_on(step.args)
    if not force or name is None or not matches(name, fragile):
        return skill
    schema = dict(skill.argument_schema(force))
    most = step.args.get(force, schema.get('default', schema.get('minimum', 0.0)))
    properties = {**skill.arguments.get('properties', {}), force: {**schema, 'maximum': most}}
    return replace(
        skill, arguments={**skill.arguments, 'properties': properties},
        adjustments={cause: tuple(_without_more(changes, force, most) for changes in ladder
                                  if not changes or _without_more(changes, force, most))
                     for cause, ladder in skill.adjustments.items()})


def _without_more(changes: Mapping[str, Any], force: str, most: float) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if name != force or value <= most}
