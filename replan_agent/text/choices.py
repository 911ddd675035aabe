# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names that people choose from: members of an enum, and what a slip of the pen meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum
from typing import Any, TypeVar

from .shown_text import shown

E = TypeVar('E', bound=Enum)
ALIKE = 0.75  # how alike two names are if one is a slip of the other, 0 to 1


def meant(given: Any, known: Iterable[str]) -> str:
    """The question `did you mean 'search'? `, with a space at its end; '' if nothing is alike."""
    found = get_close_matches(str(given), list(known), n=1, cutoff=ALIKE)
    return f'did you mean {found[0]!r}? ' if found else ''


def member(kind: type[E], given: Any, what: str) -> E:
    """The member of the enum that is given, or whose value is given."""
    try:
        return kind(given)
    except ValueError:
        raise ValueError(f'{shown(given)} is not a {what}; choose from: '
                         f'{", ".join(str(m.value) for m in kind)}') from None


def member_or_none(kind: type[E], given: Any, what: str) -> E | None:
    """The same; None stays None."""
    return None if given is None else member(kind, given, what)
