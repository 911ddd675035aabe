"""Why a sentence is refused, or what it leaves open."""

from __future__ import annotations

import re

from replan_agent.domain.cause import Cause

_WORD = re.compile(r'\w+')
_SENTENCE = re.compile(r'(?:[^.;!?\n]|\.(?=\d))+[.;!?]*')


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where; `what` are its own words."""

    def __init__(self, what: str, why: str = '') -> None:
        self.what, self.why = what, why
        shown = what if len(what) <= 80 else f'{what[:77]}...'
        super().__init__(f'did not understand {shown!r}{": " + why if why else ""}')

    def quoting(self, task: str) -> NotUnderstood:
        """The same with the part of the task that it is about, as it was written."""
        return NotUnderstood(own_words(self.what, task), self.why)


def own_words(read: str, task: str) -> str:
    """The part of the task that was read as these words; its sentence if they were changed."""
    text = ' '.join(task.split())
    at = text.lower().find(read.lower())
    if read and at >= 0:
        return text[at:at + len(read)]
    said = set(_WORD.findall(read.lower()))
    sentences = [s for s in map(str.strip, _SENTENCE.findall(task)) if s]
    return max(sentences, default=text, key=lambda s: len(said & set(_WORD.findall(s.lower()))))


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
