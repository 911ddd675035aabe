"""Why a sentence is refused, or what it leaves open."""

from __future__ import annotations

from replan_agent.domain.cause import Cause


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where; `what` are its own words."""

    def __init__(self, what: str, why: str = '') -> None:
        self.what = what
        shown = what if len(what) <= 80 else f'{what[:77]}...'
        super().__init__(f'did not understand {shown!r}{": " + why if why else ""}')


class Open(ValueError):
    """The sentence leaves something open. The message is a question; `cause` is what it is about.
    """

    def __init__(self, question: str, cause: Cause = Cause.UNCLEAR_WORDS) -> None:
        self.cause = cause
        super().__init__(question)


def two_places(said: str) -> Open:
    """The question about a sentence that names two places for one thing."""
    return Open(f'which place counts? "{said}" names two for one thing, and it can be only at '
                'one; if it should go to one after the other, say "then"', Cause.TWO_PLACES)
