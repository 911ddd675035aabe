# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Counts that memories exchange: each outcome counts once, however often a file is imported.

Each memory has a name, its origin. An export says how many outcomes each origin has counted. An
import adds only what is new of each origin.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import memory_schema as schema
from .memory_rows import Entry, read_count, read_item
from .memory_store import MemoryStore

Counts = Mapping[str, tuple[int, int]]  # by origin: how often it worked, how often it failed


def export_entries(store: MemoryStore) -> list[dict[str, Any]]:
    """All entries with their counts by origin."""
    entries = store.entries()
    with store.writing() as connection:
        return [{**entry.as_dict(), 'counts': _counts(connection, entry.id)} for entry in entries]


def read_exported(item: Mapping[str, Any], file_origin: str) -> tuple[Entry, Counts]:
    """An entry of an export and its counts. Raises one of DAMAGE if it is not one.

    `file_origin` is the origin of counts that name none.
    """
    entry = read_item(item)
    given = item.get('counts', {file_origin: (entry.worked, entry.failed)})
    return entry, {str(origin): (read_count(worked), read_count(failed))
                   for origin, (worked, failed) in dict(given).items()}


def import_entries(store: MemoryStore, entries: Sequence[tuple[Entry, Counts]]) -> int:
    """Add what is new, all of it or nothing. Returns how many outcomes were new."""
    added = 0
    with store.writing() as connection:
        for entry, counts in entries:
            bare = replace(entry, worked=0, failed=0)
            id = store.put(connection, bare)
            known, own = _counts(connection, id), schema.own_origin(connection)
            for origin, count in counts.items():
                before = known.get(origin, (0, 0))
                new = tuple(max(0, now - then) for now, then in zip(count, before))
                store.put(connection, replace(bare, worked=new[0], failed=new[1]))
                added += sum(new)
                if origin != own:
                    connection.execute(
                        'INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)',
                        (id, origin, before[0] + new[0], before[1] + new[1]))
    return added


def _counts(connection: sqlite3.Connection, id: int) -> dict[str, tuple[int, int]]:
    """The outcomes of an entry by origin. What was not imported was counted here."""
    taken = {row['origin']: (row['worked'], row['failed']) for row in connection.execute(
        'SELECT origin, worked, failed FROM imported WHERE memory_id = ?', (id,))}
    total = connection.execute('SELECT worked, failed FROM memory WHERE id = ?', (id,)).fetchone()
    own = tuple(max(0, total[name] - sum(count[k] for count in taken.values()))
                for k, name in enumerate(('worked', 'failed')))
    return {**taken, schema.own_origin(connection): (own[0], own[1])}
