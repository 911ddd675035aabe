"""The changes to the arguments of a step that its skill allows, no matter who proposes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from jsonschema.validators import validator_for

from .skill import SkillSpec


def legal_changes(skill: SkillSpec | None, changes: Any) -> dict[str, Any]:
    """The changes that the skill declares adjustable and its schema allows."""
    if skill is None or not isinstance(changes, Mapping):
        return {}
    return {name: value for name, value in changes.items()
            if name in skill.adjustable and _is_allowed(skill, name, value)}


def _is_allowed(skill: SkillSpec, argument: str, value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False  # limits in a schema do not exclude NaN
    schema = dict(skill.argument_schema(argument))
    return bool(validator_for(schema)(schema).is_valid(value))
