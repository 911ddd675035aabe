# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An entry of the memory's exports does not change in silence, as nothing that the core writes."""

from __future__ import annotations

from replan_agent_memory.memory_rows import Entry
from test_recorded_types import TO_DO, digest


def test_an_entry_is_written_as_before() -> None:
    assert digest(Entry) == '4386399e9911', TO_DO
