# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One row of the failure memory: what it says, and reading it from a file that may be damaged."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from replan_agent.domain.recovery import AS_PLANNED, Fix, Situation
from replan_agent.text.plain_values import Recorded
from replan_agent.text.shown_text import clipped, shown

LEARNED = ('learning', 'pattern', 'fix')
FAILED = ('learning', 'pattern', 'failure')  # tags of a row that says how the plain step went
IMPORTANCE = 0.8
MOST_COUNTED = 10**9
LATEST_S = 1e11  # s since 1970; a later time is damage
LONGEST = 400  # characters of a text
WORDS = ('task', 'root_cause', 'error_type', 'robot')  # about the last failure
DAMAGE = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Entry(Recorded):
    """One remembered fix, or the step as planned. `worked` and `failed` count its outcomes.

    `task`, `root_cause`, `error_type` and `robot` are about its last failure. `used` counts how
    often it was advised or compared.
    """

    id: int
    pattern: str
    situation: Situation
    fix: Fix
    worked: int
    failed: int
    tags: tuple[str, ...] = LEARNED
    importance: float = IMPORTANCE
    created: float = 0.0  # s since 1970
    updated: float = 0.0
    used: int = 0
    task: str = ''
    root_cause: str = ''
    error_type: str = ''
    robot: str = ''

    WRITTEN = ('id pattern situation fix worked failed weight tags importance created updated '
               'used task root_cause error_type robot')

    @property
    def is_plain(self) -> bool:
        """Whether it is about the step as planned, without a change."""
        return self.fix.option == AS_PLANNED

    @property
    def weight(self) -> float:
        """How much it is trusted, from its counts alone."""
        return weight(self.worked, self.failed)

    def as_dict(self) -> dict[str, Any]:
        found = super().as_dict()
        return {**found, 'weight': round(found['weight'], 3)}


def weight(worked: float, failed: float) -> float:
    """The mean of Beta(worked + 1, failed + 1): 0.5 if nothing is known, never 0 or 1."""
    return (worked + 1) / (worked + failed + 2)


def build_pattern(situation: Situation) -> str:
    """The situation in words, without its pose."""
    features = situation.features
    sides = features.get('size_m') or ()
    size = 'x'.join(f'{100 * s:.0f}' for s in sides) + 'cm' if sides else ''
    parts = (situation.skill, situation.cause or situation.reason, situation.object,
             features.get('shape'), features.get('colour'), size)
    return ' '.join(str(part) for part in parts if part)


def fix_key(fix: Fix) -> str:
    """The identity of a fix: what it changes, not its wording."""
    return json.dumps({'changes': dict(fix.changes), 'option': fix.option}, sort_keys=True)


def read_row(row: Mapping[str, Any]) -> Entry:
    """The entry of a row of the file. Raises one of DAMAGE if it cannot be one."""
    fix = json.loads(row['fix'])
    return Entry(
        row['id'], plain_text(row['pattern']), read_situation(json.loads(row['situation'])),
        read_fix({**fix, 'message': row['message'], 'source': row['source']}),
        read_count(row['worked']), read_count(row['failed']),
        tuple(plain_text(row['tags']).split()), read_share(row['importance']),
        read_time(row['created']), read_time(row['updated']), read_count(row['used']),
        *(plain_text(row[name]) for name in WORDS))


def read_item(item: Mapping[str, Any]) -> Entry:
    """The entry of an item of an export. Raises one of DAMAGE if it cannot be one."""
    entry = Entry(
        0, '', read_situation(item['situation']), read_fix(item['fix']),
        read_count(item['worked']), read_count(item['failed']),
        importance=read_share(item['importance']), created=read_time(item['created']),
        updated=read_time(item['updated']))
    words = {name: plain_text(item.get(name, '')) for name in WORDS}
    return replace(entry, pattern=build_pattern(entry.situation), **words)  # type: ignore[arg-type]


def read_situation(values: Mapping[str, Any]) -> Situation:
    """A situation from its `as_dict`. Features that are no numbers or words are left out."""
    skill, reason, cause, thing = (plain_text(values[name])
                                   for name in ('skill', 'reason', 'cause', 'object'))
    features = {plain_text(name): value for name, value in dict(values['features']).items()
                if _is_plain_value(value)}
    return Situation(skill, reason, cause, thing, features)


def read_fix(values: Mapping[str, Any]) -> Fix:
    changes = {name: value for name, value in dict(values['changes']).items()
               if _is_plain_value(value)}
    return Fix(plain_text(values['message']), changes, plain_text(values['option']),
               plain_text(values['source']))


def _is_plain_value(value: Any) -> bool:
    """Whether it is a number, a short text, nothing, or a short list of numbers."""
    if isinstance(value, (list, tuple)):
        return len(value) <= 8 and all(isinstance(v, (int, float)) and math.isfinite(v)
                                       for v in value)
    if isinstance(value, (int, float)):
        return math.isfinite(value)
    return value is None or (isinstance(value, str) and plain_text(value) == value)


def read_count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST_COUNTED:
        raise ValueError(f'{shown(value, 40)} is no count')
    return value


def read_share(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError(f'{shown(value, 40)} is not between 0 and 1')
    return float(value)


def read_time(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= LATEST_S:
        raise ValueError(f'{shown(value, 40)} is no time')
    return float(value)


def plain_text(value: Any) -> str:
    """A text that can be written anywhere: no half characters, not too long."""
    if not isinstance(value, str):
        raise TypeError(f'{shown(value, 40)} is no text')
    return clipped(value.encode('utf-8', 'replace').decode('utf-8'), LONGEST)
