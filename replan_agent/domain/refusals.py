# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why words are refused, or what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cause import Cause
from .skill import Reason


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where; `what` are its own words."""

    def __init__(self, what: str, why: str = '') -> None:
        self.what, self.why = what, why
        shown = what if len(what) <= 80 else f'{what[:77]}...'
        super().__init__(f'did not understand {shown!r}{": " + why if why else ""}')


class Open(ValueError):
    """The sentence leaves something open. The message is a question; `cause` is what it is about.

    `choices` are sentences: each says one of the things that may be meant. `about` are the words
    that are not clear.
    """

    candidates: tuple[str, ...] = ()
    asks = True  # a person can say what is meant

    def __init__(self, question: str, cause: Cause = Cause.UNCLEAR_WORDS,
                 choices: Sequence[str] = (), about: str = '') -> None:
        self.cause, self.choices, self.about = cause, tuple(choices), about
        super().__init__(question)


class Unclear(Exception):
    """A phrase that means no object, or not exactly one. The message may be a question.

    `candidates` are the objects that it may mean, if it asks which one. `not_seen` is the phrase
    if nothing in the scene fits it. `about` are the words that are not clear. `ways` are orders:
    each says one of the things that may be meant, and so do `choices`, in sentences.
    """

    choices: tuple[str, ...] = ()
    ways: Sequence[Sequence[Any]] = ()
    about = ''

    def __init__(self, reason: Reason, detail: str, candidates: Sequence[str] = (),
                 cause: Cause | None = None, not_seen: str = '') -> None:
        super().__init__(detail)
        self.reason, self.not_seen = reason, not_seen
        self.candidates = tuple(candidates)
        self.asks = reason is Reason.AMBIGUOUS_OBJECT
        asks_more = self.asks and not self.candidates
        self.cause = cause or (Cause.UNCLEAR_WORDS if asks_more else None)
