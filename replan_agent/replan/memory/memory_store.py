"""The file of the failure memory: SQLite, safe for several processes. Raises sqlite3.Error.

One row for each pattern and fix. A pattern is the skill, the cause and the looks of the object in
words; sizes are rounded to centimetres, so that two looks at the same thing make one pattern.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replan_agent.domain.recovery import Fix, Situation

TAGS = ('learning', 'pattern', 'fix')
IMPORTANCE = 0.8
BUSY_S = 2.0  # how long to wait for another process
VERSION = 1

_TABLE = """
CREATE TABLE IF NOT EXISTS memory (
    id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, fix TEXT NOT NULL, situation TEXT NOT NULL,
    message TEXT NOT NULL, source TEXT NOT NULL, tags TEXT NOT NULL, importance REAL NOT NULL,
    worked INTEGER NOT NULL, failed INTEGER NOT NULL, created REAL NOT NULL,
    updated REAL NOT NULL, UNIQUE (pattern, fix))
"""
COLUMNS = ('id', 'pattern', 'fix', 'situation', 'message', 'source', 'tags', 'importance',
           'worked', 'failed', 'created', 'updated')
_ADD = """
INSERT INTO memory (pattern, fix, situation, message, source, tags, importance, worked, failed,
                    created, updated)
VALUES (:pattern, :fix, :situation, :message, :source, :tags, :importance, :worked, :failed,
        :created, :updated)
ON CONFLICT (pattern, fix) DO UPDATE SET
    worked = worked + excluded.worked, failed = failed + excluded.failed,
    situation = excluded.situation, updated = max(updated, excluded.updated)
"""


@dataclass(frozen=True)
class Entry:
    """One remembered fix. `worked` and `failed` count its outcomes."""

    id: int
    pattern: str
    situation: Situation
    fix: Fix
    worked: int
    failed: int
    tags: tuple[str, ...] = TAGS
    importance: float = IMPORTANCE
    created: float = 0.0  # s since 1970
    updated: float = 0.0

    @property
    def weight(self) -> float:
        """The mean of Beta(worked + 1, failed + 1): 0.5 if nothing is known, never 0 or 1."""
        return (self.worked + 1) / (self.worked + self.failed + 2)

    def as_dict(self) -> dict[str, Any]:
        return {'id': self.id, 'pattern': self.pattern, 'situation': self.situation.as_dict(),
                'fix': self.fix.as_dict(), 'worked': self.worked, 'failed': self.failed,
                'weight': round(self.weight, 3), 'tags': list(self.tags),
                'importance': self.importance, 'created': self.created, 'updated': self.updated}


def build_pattern(situation: Situation) -> str:
    """The situation in words, without its pose."""
    features = situation.features
    sides = features.get('size_m') or ()
    size = 'x'.join(f'{100 * s:.0f}' for s in sides) + 'cm' if sides else ''
    parts = (situation.skill, situation.cause or situation.reason, situation.object,
             features.get('shape'), features.get('colour'), size)
    return ' '.join(str(part) for part in parts if part)


class MemoryStore:
    """Each call opens the file, does one transaction and closes it."""

    def __init__(self, path: Path, fts: bool | None = None) -> None:
        self.path = path
        self._fts = has_fts5() if fts is None else fts

    @property
    def uses_fts(self) -> bool:
        """Whether an index finds words. Without FTS5 they are compared, which is slower."""
        return self._fts

    def add(self, situation: Situation, fix: Fix, worked: int, failed: int,
            at: float | None = None, importance: float = IMPORTANCE,
            created: float | None = None) -> None:
        """Count outcomes for the fix in such situations. A new pair becomes a row."""
        now = time.time() if at is None else at
        with self._writing() as connection:
            connection.execute(_ADD, {
                'pattern': build_pattern(situation), 'fix': _key(fix),
                'situation': json.dumps(situation.as_dict()), 'message': fix.message,
                'source': fix.source, 'tags': ' '.join(TAGS), 'importance': importance,
                'worked': worked, 'failed': failed, 'created': created or now, 'updated': now})
            self._index(connection)

    def entries(self) -> list[Entry]:
        """All entries, the last used first."""
        return self._select('SELECT * FROM memory ORDER BY updated DESC, id DESC')

    def get(self, id: int) -> Entry | None:
        return next(iter(self._select('SELECT * FROM memory WHERE id = ?', (id,))), None)

    def search(self, words: Sequence[str], most: int = 200) -> list[Entry]:
        """Rows whose pattern has any of the words, the best match first."""
        terms = [t for word in words for t in re.findall(r'\w+', word)]
        if not terms:
            return []
        if self._fts:
            query = ' OR '.join(f'"{term}"' for term in terms)
            return self._select(
                'SELECT memory.* FROM memory_words JOIN memory ON memory.id = memory_words.rowid '
                'WHERE memory_words MATCH ? ORDER BY rank LIMIT ?', (query, most))
        likes = ' OR '.join("pattern LIKE ? ESCAPE '\\'" for _ in terms)
        patterns = ['%' + term.replace('_', r'\_') + '%' for term in terms]
        return self._select(f'SELECT * FROM memory WHERE {likes} ORDER BY updated DESC LIMIT ?',
                            (*patterns, most))

    def forget(self, id: int | None = None) -> int:
        """Remove one row or all rows. Returns how many."""
        with self._writing() as connection:
            chosen = ' WHERE id = ?' if id is not None else ''
            gone = connection.execute(f'DELETE FROM memory{chosen}',
                                      (id,) if id is not None else ()).rowcount
            self._index(connection)
        return gone

    def _select(self, query: str, values: Sequence[Any] = ()) -> list[Entry]:
        if not self.path.exists():
            return []
        with closing(self._open()) as connection:
            return [_entry(row) for row in connection.execute(query, values)]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as connection:
            connection.execute('BEGIN IMMEDIATE')  # no other process counts at the same time
            with connection:
                yield connection

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables in a new file. A file that has them stays as it is."""
        connection.execute('PRAGMA synchronous = NORMAL')
        version = connection.execute('PRAGMA user_version').fetchone()[0]
        if version > VERSION:
            raise sqlite3.DatabaseError(f'it has format {version}, made by a newer release; this '
                                        f'one reads {VERSION}')
        tables = {row[0] for row in connection.execute('SELECT name FROM sqlite_master')}
        columns = {row[1] for row in connection.execute('PRAGMA table_info(memory)')}
        if tables and not columns >= set(COLUMNS):
            raise sqlite3.DatabaseError('it is not a failure memory, and is left as it is')
        if 'memory' in tables and ('memory_words' in tables or not self._fts):
            return
        with suppress(sqlite3.OperationalError):  # another process is doing the same
            connection.execute('PRAGMA journal_mode = WAL')  # readers next to a writer
        connection.execute(_TABLE)
        connection.execute(f'PRAGMA user_version = {VERSION}')
        if self._fts:
            connection.execute('CREATE VIRTUAL TABLE IF NOT EXISTS memory_words '
                               'USING fts5(pattern)')
            self._index(connection)

    def _index(self, connection: sqlite3.Connection) -> None:
        """Update the word index to the rows, also to those written without FTS5."""
        if self._fts:
            connection.execute('INSERT INTO memory_words (rowid, pattern) SELECT id, pattern FROM '
                               'memory WHERE id NOT IN (SELECT rowid FROM memory_words)')
            connection.execute('DELETE FROM memory_words WHERE rowid NOT IN '
                               '(SELECT id FROM memory)')


def has_fts5() -> bool:
    """Whether this SQLite has full-text search."""
    with closing(sqlite3.connect(':memory:')) as connection:
        try:
            connection.execute('CREATE VIRTUAL TABLE words USING fts5(word)')
        except sqlite3.OperationalError:
            return False
    return True


def _key(fix: Fix) -> str:
    """The identity of a fix: what it changes, not its wording."""
    return json.dumps({'changes': dict(fix.changes), 'option': fix.option}, sort_keys=True)


def _entry(row: sqlite3.Row) -> Entry:
    situation, fix = json.loads(row['situation']), json.loads(row['fix'])
    return Entry(row['id'], row['pattern'], situation_from(situation),
                 Fix(row['message'], fix['changes'], fix['option'], row['source']),
                 row['worked'], row['failed'], tuple(row['tags'].split()), row['importance'],
                 row['created'], row['updated'])


def situation_from(values: Mapping[str, Any]) -> Situation:
    """A situation from its `as_dict`. Raises KeyError or TypeError if it is not one."""
    return Situation(str(values['skill']), str(values['reason']), str(values['cause']),
                     str(values['object']), dict(values['features']))
