# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a check found, and all of it as lines for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    OK = 'ok'
    WRONG = 'wrong'
    NOT_CHECKED = 'not checked'


@dataclass(frozen=True)
class Finding:
    """One check: what was looked at, what was seen, and what to do if it is wrong."""

    verdict: Verdict
    what: str
    seen: str
    do: str = ''


def found(what: str, is_ok: bool, seen: str, do: str) -> Finding:
    return Finding(Verdict.OK if is_ok else Verdict.WRONG, what, seen, '' if is_ok else do)


def not_checked(what: str, why: str) -> Finding:
    return Finding(Verdict.NOT_CHECKED, what, why)


def as_lines(findings: Iterable[Finding]) -> list[str]:
    """A line for each finding, and one below it with what to do."""
    lines = []
    for one in findings:
        lines.append(f'{one.verdict.value:<12} {one.what:<20} {one.seen}')
        if one.do:
            lines.append(f'{"":<12} {"":<20} -> {one.do}')
    return lines


def summary(findings: Sequence[Finding]) -> str:
    counts = {verdict: sum(one.verdict is verdict for one in findings) for verdict in Verdict}
    return ', '.join(f'{count} {verdict.value}' for verdict, count in counts.items())
