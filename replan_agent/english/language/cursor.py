"""A position in the tokens of a clause: look ahead, accept, refuse."""

from __future__ import annotations

from replan_agent.domain.refusals import NotUnderstood

from .tokens import Token


class Cursor:
    """A position in the tokens of one clause."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        i = self.at + ahead
        return self.tokens[i].text if i < len(self.tokens) else ''

    def word_said(self) -> str:
        """The next word as it was said: "upside down"."""
        return said_of(self.tokens[self.at:self.at + 1]) or self.peek().replace('_', ' ')

    def kind(self, ahead: int = 0) -> str:
        i = self.at + ahead
        return self.tokens[i].kind if i < len(self.tokens) else ''

    @property
    def is_done(self) -> bool:
        return self.at >= len(self.tokens)

    @property
    def text(self) -> str:
        return text_of(self.tokens)

    @property
    def said(self) -> str:
        """The clause in the words of the task."""
        return said_of(self.tokens)

    def accept(self, *words: str) -> str:
        """The next word if it is one of these, else ''."""
        if not self.is_done and self.peek() in words:
            self.at += 1
            return self.tokens[self.at - 1].text
        return ''

    def value(self, kind: str) -> float | None:
        """The number of the next token if it is of that kind."""
        if self.kind() != kind:
            return None
        self.at += 1
        return self.tokens[self.at - 1].value[0]

    def joined(self) -> bool:
        """Goes over "and" or a comma, if there is one."""
        start = self.at
        while self.peek() == 'and' or self.kind() == 'comma':
            self.at += 1
        return self.at > start

    def listed_on(self) -> bool:
        """The same in a list of things, where a colon joins nothing: "cubes: the red one ..."."""
        start = self.at
        if self.joined() and all(t.text != ':' for t in self.tokens[start:self.at]):
            return True
        self.at = start
        return False

    def refuse(self, why: str = '') -> NotUnderstood:
        return NotUnderstood(self.said, why)


def text_of(tokens: list[Token]) -> str:
    return ' '.join(t.text for t in tokens).replace(' ,', ',').replace('_', ' ')


def said_of(tokens: list[Token]) -> str:
    """The tokens in the words of the task."""
    words = (t.said or t.text for t in tokens if t.said is not None)
    return ' '.join(words).replace(' ,', ',').replace(' ?', '?').replace(' :', ':')
