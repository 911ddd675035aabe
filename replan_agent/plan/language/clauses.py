"""Splits the tokens of a task into clauses: one for each command."""

from __future__ import annotations

from dataclasses import dataclass

from .refusals import NotUnderstood
from .tokens import Token
from .words import RELATIONS, VERBS

FILLERS = frozenset({'and', 'so', 'too', 'first', 'next', 'lastly', 'also', 'well'})
QUESTIONS = frozenset('what which who whose why how where when is are does did do am was were '
                      'has have'.split())
TIMES = frozenset('when while before after unless because twice times whenever every_time hour '
                  'hours minute minutes tomorrow later once again_and_again'.split())


@dataclass(frozen=True)
class Clause:
    """The tokens of one command. `opens`: it begins a sentence, or follows "then"."""

    tokens: list[Token]
    opens: bool


def split(tokens: list[Token]) -> list[Clause]:
    """The clauses in order. Raises NotUnderstood for a question, a ban, a time."""
    clauses: list[Clause] = []
    for sentence in _sentences(tokens):
        _check(sentence)
        for number, part in enumerate(_commands(sentence)):
            bare = _trimmed(part)
            if bare:
                clauses.append(Clause(bare, number == 0))
    return clauses


def _sentences(tokens: list[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == 'stop':
            if token.text == '?':
                found[-1].append(token)
            found.append([])
        else:
            found[-1].append(token)
    return [s for s in found if s]


def _check(sentence: list[Token]) -> None:
    words = [t.text for t in sentence]
    shown = ' '.join(words).replace(' ?', '?')
    if words[0] in QUESTIONS or (words[-1] == '?' and not set(words) & VERBS):
        raise NotUnderstood(shown, 'this is a question, and the arm only carries out commands')
    if words[-1] == '?':
        sentence.pop()
    if any(w == 'not' and (i == 0 or words[i - 1] not in ('is', 'are', 'that', 'if'))
           for i, w in enumerate(words)):
        raise NotUnderstood(shown, 'say what to do, not what to avoid')
    if TIMES & set(words):
        raise NotUnderstood(shown, 'commands are carried out once, in the order they are given')


def _commands(sentence: list[Token]) -> list[list[Token]]:
    """A sentence, cut before each verb that follows "and" or a comma."""
    if sentence[0].text == 'if':
        return [sentence]
    parts: list[list[Token]] = [[]]
    for i, token in enumerate(sentence):
        if token.text in ('and', 'but') or token.kind == 'comma':
            following = i + 1
            while following < len(sentence) and (sentence[following].text in FILLERS
                                                 or sentence[following].kind == 'comma'):
                following += 1
            if _is_verb(sentence, following) and parts[-1]:
                parts.append([])
                continue
        parts[-1].append(token)
    return parts


def _is_verb(tokens: list[Token], at: int) -> bool:
    """Whether a command begins there: a verb, and not as part of a phrase ("stack", "set")."""
    if at >= len(tokens) or tokens[at].text not in VERBS or tokens[at].kind != 'word':
        return False
    following = tokens[at + 1].text if at + 1 < len(tokens) else ''
    return not (tokens[at].text == 'go' and following in RELATIONS and following != 'to')


def _trimmed(tokens: list[Token]) -> list[Token]:
    """Without the fillers and commas around it."""
    start, end = 0, len(tokens)
    while start < end and (tokens[start].text in FILLERS or tokens[start].kind == 'comma'):
        start += 1
    while end > start and (tokens[end - 1].text in ('and', 'so') or
                           tokens[end - 1].kind == 'comma'):
        end -= 1
    return tokens[start:end]
