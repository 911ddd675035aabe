# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model as a plan monitor: it objects to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .scripted_tools import Call

NO_PROBLEM = 'no_problem'


def is_monitoring(request: Mapping[str, Any]) -> bool:
    """Whether the request asks for an opinion about a plan."""
    return any(tool['function']['name'] == NO_PROBLEM for tool in request.get('tools', ()))


def opinion(request: Mapping[str, Any]) -> list[Call]:
    return [(NO_PROBLEM, {})]
