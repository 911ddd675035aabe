# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The file of the failure memory: SQLite, safe for several processes. Raises sqlite3.Error.

One row for each pattern and fix. A pattern is the skill, the cause and the looks of the object in
words; sizes are rounded to centimetres, so that two looks at the same thing make one pattern.
A row that cannot be read is left out and named in `damaged`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from replan_agent.domain.recovery import Fix, Situation

from . import memory_schema as schema
from .memory_rows import DAMAGE, FAILED, LEARNED, Entry, build_pattern, fix_key, read_row

BUSY_S = 2.0  # how long to wait for another process


class MemoryStore:
    """Each call opens the file, does one transaction and closes it.

    `damaged` has the rows that could not be read so far, and why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: dict[int, str] = {}

    def add(self, situation: Situation, fix: Fix, worked: int, failed: int,
            at: float | None = None, **words: str) -> None:
        """Count outcomes for the fix in such situations. A new pair becomes a row.

        `words` are `task`, `root_cause`, `error_type` and `robot` of a failure.
        """
        now = time.time() if at is None else at
        entry = Entry(0, build_pattern(situation), situation, fix, worked, failed, created=now,
                      updated=now, **words)  # type: ignore[arg-type]
        with self.writing() as connection:
            self.put(connection, entry)

    def put(self, connection: sqlite3.Connection, entry: Entry) -> int:
        """Add the entry's counts to its row, inside a transaction. Returns the row's id."""
        tags = FAILED if entry.is_plain else LEARNED
        values = {**{name: getattr(entry, name) for name in schema.PLAIN_COLUMNS},
                  'fix': fix_key(entry.fix), 'situation': json.dumps(entry.situation.as_dict()),
                  'message': entry.fix.message, 'source': entry.fix.source,
                  'tags': ' '.join(tags)}
        connection.execute(schema.ADD, values)
        row = connection.execute('SELECT id FROM memory WHERE pattern = ? AND fix = ?',
                                 (entry.pattern, values['fix'])).fetchone()
        return int(row['id'])

    def count_use(self, id: int) -> None:
        """Count that the entry was advised. What is used does not fade."""
        with self.writing() as connection:
            connection.execute(schema.USE, (time.time(), id))

    def entries(self) -> list[Entry]:
        """All entries, the last used first."""
        return self._select('SELECT * FROM memory ORDER BY updated DESC, id DESC')

    def get(self, id: int) -> Entry | None:
        return next(iter(self._select('SELECT * FROM memory WHERE id = ?', (id,))), None)

    def search(self, words: Sequence[str], most: int = 200, anywhere: bool = False) -> list[Entry]:
        """Rows with any of the words in the pattern, those with most of them first.

        `anywhere` also searches tags, fix, task, root cause, error type and robot.
        """
        terms = [t for word in words for t in re.findall(r'\w+', word)]
        if not terms:
            return []
        where = schema.ANYWHERE if anywhere else 'pattern'
        count = ' + '.join(f"({where} LIKE ? ESCAPE '\\')" for _ in terms)
        patterns = ['%' + term.replace('_', r'\_') + '%' for term in terms]
        return self._select(f'SELECT *, {count} AS words FROM memory WHERE words '
                            'ORDER BY words DESC, updated DESC LIMIT ?', (*patterns, most))

    def forget(self, id: int | None = None) -> int:
        """Remove one row or all rows. Returns how many."""
        with self.writing() as connection:
            chosen = ' WHERE id = ?' if id is not None else ''
            gone = connection.execute(f'DELETE FROM memory{chosen}',
                                      (id,) if id is not None else ()).rowcount
            schema.tidy(connection)
        return gone

    def _select(self, query: str, values: Sequence[Any] = ()) -> list[Entry]:
        if not self.path.exists():
            return []
        found = []
        with closing(self._open()) as connection:
            for row in connection.execute(query, values):
                try:
                    found.append(read_row(dict(row)))
                except DAMAGE as error:
                    self.damaged[row['id']] = str(error) or type(error).__name__
        return found

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The open file, in a transaction that ends with the block."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as connection:
            connection.execute('BEGIN IMMEDIATE')  # no other process counts at the same time
            with connection:
                yield connection

    def _open(self) -> sqlite3.Connection:
        if self.path.exists() and not self.path.is_file():
            raise OSError('it is not a file')
        connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode('utf-8', 'replace')
            schema.prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection
