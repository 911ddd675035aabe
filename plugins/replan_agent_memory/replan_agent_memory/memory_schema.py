# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tables of the failure memory, and how older files become like new ones."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import suppress

VERSION = 2

# Columns of version 1, and those that version 2 adds.
FIRST_COLUMNS = ('id', 'pattern', 'fix', 'situation', 'message', 'source', 'tags', 'importance',
                 'worked', 'failed', 'created', 'updated')
ADDED_COLUMNS = {'used': 'INTEGER NOT NULL DEFAULT 0', 'task': "TEXT NOT NULL DEFAULT ''",
                 'root_cause': "TEXT NOT NULL DEFAULT ''",
                 'error_type': "TEXT NOT NULL DEFAULT ''", 'robot': "TEXT NOT NULL DEFAULT ''"}
# Columns that an Entry has under the same name.
PLAIN_COLUMNS = ('pattern', 'importance', 'worked', 'failed', 'created', 'updated', 'used', 'task',
                 'root_cause', 'error_type', 'robot')
ANYWHERE = ("(pattern || ' ' || tags || ' ' || message || ' ' || fix || ' ' || task || ' ' || "
            "root_cause || ' ' || error_type || ' ' || robot)")

_TABLE = """
CREATE TABLE IF NOT EXISTS memory (
    id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, fix TEXT NOT NULL, situation TEXT NOT NULL,
    message TEXT NOT NULL, source TEXT NOT NULL, tags TEXT NOT NULL, importance REAL NOT NULL,
    worked INTEGER NOT NULL, failed INTEGER NOT NULL, created REAL NOT NULL,
    updated REAL NOT NULL, UNIQUE (pattern, fix))
"""
# What other memories have counted: one row for each entry and each file that it came from.
_IMPORTED = """
CREATE TABLE IF NOT EXISTS imported (
    memory_id INTEGER NOT NULL, origin TEXT NOT NULL, worked INTEGER NOT NULL,
    failed INTEGER NOT NULL, PRIMARY KEY (memory_id, origin))
"""


def _sound(column: str) -> str:
    """The count in SQL; 0 if it is damaged."""
    return (f"CASE WHEN typeof({column}) = 'integer' AND {column} BETWEEN 0 AND 1000000000 "
            f'THEN {column} ELSE 0 END')


def _newest(column: str) -> str:
    """The given text in SQL, or the text that is there if none is given."""
    return f"{column} = CASE excluded.{column} WHEN '' THEN {column} ELSE excluded.{column} END"


ADD = f"""
INSERT INTO memory (pattern, fix, situation, message, source, tags, importance, worked, failed,
                    created, updated, used, task, root_cause, error_type, robot)
VALUES (:pattern, :fix, :situation, :message, :source, :tags, :importance, :worked, :failed,
        :created, :updated, :used, :task, :root_cause, :error_type, :robot)
ON CONFLICT (pattern, fix) DO UPDATE SET
    worked = {_sound('worked')} + excluded.worked, failed = {_sound('failed')} + excluded.failed,
    situation = excluded.situation, message = excluded.message, source = excluded.source,
    tags = excluded.tags, importance = excluded.importance, used = {_sound('used')},
    created = CASE WHEN typeof(created) = 'real' THEN created ELSE excluded.created END,
    updated = CASE WHEN typeof(updated) = 'real' AND updated < 1e11
              THEN max(updated, excluded.updated) ELSE excluded.updated END,
    {', '.join(map(_newest, ('task', 'root_cause', 'error_type', 'robot')))}
"""
USE = f"UPDATE memory SET used = {_sound('used')} + 1, updated = ? WHERE id = ?"


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables in a new file, and what is missing in an older one."""
    connection.execute('PRAGMA synchronous = NORMAL')
    version = connection.execute('PRAGMA user_version').fetchone()[0]
    if version > VERSION:
        raise sqlite3.DatabaseError(f'it has format {version}, made by a newer release; this '
                                    f'one reads {VERSION}')
    tables = {row[0] for row in connection.execute('SELECT name FROM sqlite_master')}
    columns = _columns(connection)
    if tables and not columns >= set(FIRST_COLUMNS):
        raise sqlite3.DatabaseError('it is not a failure memory, and is left as it is')
    if version == VERSION and {'memory', 'imported', 'origin'} <= tables:
        return
    with suppress(sqlite3.OperationalError):  # another process is doing the same
        connection.execute('PRAGMA journal_mode = WAL')  # readers next to a writer
    connection.execute('BEGIN IMMEDIATE')
    with connection:
        _make(connection)


def _make(connection: sqlite3.Connection) -> None:
    connection.execute(_TABLE)
    for name, kind in ADDED_COLUMNS.items():
        if name not in _columns(connection):
            connection.execute(f'ALTER TABLE memory ADD COLUMN {name} {kind}')
    connection.execute(_IMPORTED)
    connection.execute('CREATE TABLE IF NOT EXISTS origin (id TEXT NOT NULL)')
    if connection.execute('SELECT count(*) FROM origin').fetchone()[0] == 0:
        connection.execute('INSERT INTO origin VALUES (?)', (uuid.uuid4().hex,))
    connection.execute(f'PRAGMA user_version = {VERSION}')


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {row[1] for row in connection.execute('PRAGMA table_info(memory)')}


def own_origin(connection: sqlite3.Connection) -> str:
    """The name of this memory among those that exchange counts."""
    return str(connection.execute('SELECT id FROM origin').fetchone()[0])


def tidy(connection: sqlite3.Connection) -> None:
    """Make the imported counts fit the rows."""
    connection.execute('DELETE FROM imported WHERE memory_id NOT IN (SELECT id FROM memory)')
