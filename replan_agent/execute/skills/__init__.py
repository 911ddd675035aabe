"""The skills, one per file."""

from __future__ import annotations

from typing import Any

NO_ARGUMENTS: dict[str, Any] = {
    'type': 'object', 'properties': {}, 'additionalProperties': False,
}
SPEED: dict[str, Any] = {
    'type': 'number', 'minimum': 0.1, 'maximum': 1, 'default': 1,
    'description': 'share of the configured speed',
}
