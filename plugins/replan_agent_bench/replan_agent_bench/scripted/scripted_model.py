# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model as the commands, the benchmarks and the tests start it."""

from __future__ import annotations

from collections.abc import Iterable

from .scripted_answers import answer
from .scripted_server import FakeModelServer, Misbehaviour, scripted

RULES = scripted(answer)  # it plans with the search planner


def scripted_model(misbehave: Iterable[Misbehaviour | str] = (), port: int = 0) -> FakeModelServer:
    """A server, not started yet, that understands the same sentences as the search planner."""
    return FakeModelServer(misbehave, port, RULES)
