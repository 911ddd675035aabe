"""Which rows of a suite are run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from replan_agent.domain.config import ConfigError


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar('T', bound=Named)


def named_rows(suite: str, rows: Sequence[T], names: Sequence[str] | None) -> tuple[T, ...]:
    """The rows, or those of them that are named; a wrong name raises ConfigError."""
    known = [row.name for row in rows]
    for name in names or ():
        if name not in known:
            raise ConfigError(f'--rows: no row named {name!r} in the suite {suite}; '
                              f'choose from: {", ".join(known)}')
    return tuple(row for row in rows if not names or row.name in names)
