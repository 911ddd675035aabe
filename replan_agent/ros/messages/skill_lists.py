"""Lists of skills as messages, and back. The same list again is not converted again.

Every task asks for the skills, and every plan request has them: they hardly ever change.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, is_
from typing import Any, Generic, TypeVar

from .scene_messages import spec_from_msg, spec_to_msg

T = TypeVar('T')


class _Last(Generic[T]):
    """A conversion that keeps its last value for an argument that is the same."""

    def __init__(self, convert: Callable[[Any], T], same: Callable[[Any, Any], bool]) -> None:
        self._convert, self._same = convert, same
        self._last: tuple[Any, T] | None = None

    def __call__(self, given: Any) -> T:
        last = self._last
        if last is None or not self._same(given, last[0]):
            self._last = last = (given, self._convert(given))
        return last[1]


specs_to_msgs = _Last(lambda specs: list(map(spec_to_msg, specs)), is_)
specs_from_msgs = _Last(lambda messages: tuple(map(spec_from_msg, messages)), eq)
