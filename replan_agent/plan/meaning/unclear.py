"""Why a phrase or a command has no one meaning in the scene."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.skill import Reason


class Unclear(Exception):
    """A phrase that means no object, or not exactly one. The message may be a question."""

    def __init__(self, reason: Reason, detail: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.reason = reason
        self.candidates = tuple(candidates)
