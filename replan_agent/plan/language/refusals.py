"""Why a sentence is refused, or what it leaves open."""

from __future__ import annotations


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where; `what` are its own words."""

    def __init__(self, what: str, why: str = '') -> None:
        self.what = what
        shown = what if len(what) <= 80 else f'{what[:77]}...'
        super().__init__(f'did not understand {shown!r}{": " + why if why else ""}')


class Open(ValueError):
    """The sentence leaves something open. The message is a question."""
