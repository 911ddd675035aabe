"""Why a phrase or a command has no one meaning in the scene."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.skill import Reason


class Unclear(Exception):
    """A phrase that means no object, or not exactly one. The message may be a question.

    `candidates` are the objects that it may mean, if it asks which one. `not_seen` is the phrase
    if nothing in the scene fits it.
    """

    def __init__(self, reason: Reason, detail: str, candidates: Sequence[str] = (),
                 cause: Cause | None = None, not_seen: str = '') -> None:
        super().__init__(detail)
        self.reason, self.not_seen = reason, not_seen
        self.candidates = tuple(candidates)
        asks_more = reason is Reason.AMBIGUOUS_OBJECT and not self.candidates
        self.cause = cause or (Cause.UNCLEAR_WORDS if asks_more else None)
