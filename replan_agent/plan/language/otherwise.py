"""Finds the "otherwise" of an "if": "if not", "if there is none", or a sentence of its own."""

from __future__ import annotations

from .tokens import Token
from .words import DETERMINERS, PRONOUNS, QUANTITIES, VERBS

IFS = ('if', 'unless')
OTHERS = ('otherwise', 'else')
# What "if ..." says the opposite with, in short.
OPPOSITES = tuple(tuple(words.split()) for words in (
    'if exists not', 'if exists none', 'if it is not', 'if they are not', 'if exists no one',
    'if not so', 'if not', 'if exists not any', 'if exists not one', 'if that is not the case'))
_STARTS = DETERMINERS | QUANTITIES | PRONOUNS.keys()


def with_others(sentences: list[list[Token]]) -> list[list[Token]]:
    """The sentences with each "otherwise ..." as a part of the "if" before it."""
    found: list[list[Token]] = []
    for sentence in sentences:
        sentence = _named(sentence, bool(found) and found[-1][0].text in IFS)
        if found and found[-1][0].text in IFS and sentence[0].text in OTHERS and not any(
                t.text in OTHERS for t in found[-1]):
            found[-1] = [*found[-1], *sentence]
        else:
            found.append(sentence)
    return found


def _named(sentence: list[Token], follows_if: bool) -> list[Token]:
    """The sentence with its "if not, ..." as "otherwise ...", if an "if" stands before it."""
    words = [t.text for t in sentence]
    for at in range(len(words)):
        if not (follows_if if at == 0 else words[0] in IFS):
            continue
        for opposite in OPPOSITES:
            end = at + len(opposite)
            if tuple(words[at:end]) == opposite and _command_starts(sentence, end):
                return [*sentence[:at], Token('otherwise', said=' '.join(opposite)),
                        *sentence[end:]]
    return sentence


def _command_starts(sentence: list[Token], at: int) -> bool:
    if at < len(sentence) and sentence[at].kind == 'comma':
        return True
    following = sentence[at + 1].text if at + 1 < len(sentence) else ''
    return at < len(sentence) and sentence[at].text in VERBS and following in _STARTS
