# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skills, one per file."""

from __future__ import annotations

from typing import Any

NO_ARGUMENTS: dict[str, Any] = {'type': 'object', 'properties': {}, 'additionalProperties': False}
SPEED: dict[str, Any] = {
    'type': 'number', 'minimum': 0.1, 'maximum': 1, 'default': 1,
    'description': 'share of the configured speed',
}
SPOT: dict[str, Any] = {
    'type': 'integer', 'minimum': 0, 'maximum': 5, 'default': 0,
    'description': 'after a failure: 1 for the next best free place, 2 for the one after it',
}
# Changes to try one after the other, by the cause of the failure.
NEXT_SPOT: dict[str, tuple[dict[str, Any], ...]] = {
    cause: tuple({'spot': number} for number in (1, 2, 3))
    for cause in ('unexpected_contact', 'not_where_put', 'approach_blocked', 'no_way_out')}


def takes(*required: str, **arguments: dict[str, Any]) -> dict[str, Any]:
    """The schema of a skill with these arguments, of which some are required."""
    return {'type': 'object', 'properties': arguments, 'required': list(required),
            'additionalProperties': False}


def name_of(what: str) -> dict[str, Any]:
    """The schema of an argument that names an object."""
    return {'type': 'string', 'description': f'name of the {what}'}
