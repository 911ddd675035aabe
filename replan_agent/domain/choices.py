"""Members of an enum by their text. A wrong text raises ValueError with the right ones."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from .text import shown

E = TypeVar('E', bound=Enum)


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
