# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values that nobody expects, and the property that all readers of such values share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st

from replan_agent.text.shown_text import LONGEST_MESSAGE, printable

T = TypeVar('T')

NAMES = ('red_cube', 'bowl', 'table', 'world', 'panda_link0', 'pick', 'place_on', 'push', 'stub',
         'box', 'in', 'on', '__replan__', '', ' ', '../../etc/passwd', 'a\0b', '\ud800',
         '\x1b[2J', '\u202e', 'é', 'x' * 3000, '[' * 3000, '1e-3', 'nan', '9' * 400)
NUMBERS = (0, 1, -1, 0.04, 0.5, 1e-12, 1e308, -1e308, 2**53, 2**63, 10**30, 10**400, True,
           float('nan'), float('inf'), float('-inf'))


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(NAMES), st.text(st.characters(), max_size=12))


def scalars() -> st.SearchStrategy[Any]:
    return st.one_of(texts(), st.sampled_from(NUMBERS), st.none(), st.booleans(), st.integers(),
                     st.floats())


def values(keys: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Any]:
    """Anything that JSON can hold; `keys` are names that the reader knows."""
    known = texts() if keys is None else keys
    return st.recursive(scalars(), lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(known, inner, max_size=4)), max_leaves=12)


def json_texts() -> st.SearchStrategy[str]:
    """JSON, broken JSON, and text that is no JSON at all."""
    written = values().map(json.dumps)
    cut = st.tuples(written, st.integers(0, 200)).map(lambda given: given[0][:given[1]])
    deep = st.tuples(st.sampled_from(('[', '{"a":', '{"a":[')), st.integers(0, 100_000)).map(
        lambda given: given[0] * given[1])
    digits = st.integers(1, 6000).map(lambda count: '{"a": ' + '9' * count + '}')
    return st.one_of(written, cut, deep, digits, st.text(max_size=40))


def changed(whole: Any) -> st.SearchStrategy[Any]:
    """A good value with one of its parts replaced by another value, at any depth."""
    places = list(_places(whole))
    return st.tuples(st.sampled_from(places), values()).map(
        lambda given: _replaced(whole, *given))


def _places(value: Any) -> Any:
    yield ()
    items = (value.items() if isinstance(value, dict)
             else enumerate(value) if isinstance(value, list) else ())
    for key, inner in items:
        yield from ((key, *place) for place in _places(inner))


def _replaced(whole: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = dict(whole) if isinstance(whole, dict) else list(whole)
    copy[place[0]] = _replaced(whole[place[0]], place[1:], new)
    return copy


def result_or(error: type[Exception], call: Callable[[], T],
              longest: int = LONGEST_MESSAGE + 3) -> T | None:
    """What the call returns; None if it raised that error, with one short and printable line."""
    try:
        return call()
    except error as raised:
        check_line(str(raised), longest)
        return None


def check_line(text: str, longest: int = LONGEST_MESSAGE + 3) -> None:
    """Fail unless a message is one printable line that is not too long."""
    assert '\n' not in text and len(text) <= longest, text[:2000]
    assert printable(text) == text, text
