"""The skills, one per file."""

from __future__ import annotations

from typing import Any

NO_ARGUMENTS: dict[str, Any] = {
    'type': 'object', 'properties': {}, 'additionalProperties': False,
}
