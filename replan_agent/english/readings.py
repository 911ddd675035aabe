"""Reads the words of a task: all of its readings as commands, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.domain.scene import Scene

from .joined import joined
from .lexicon import SaidWord, word_names
from .parser import Stops, parser
from .phrases import Command, NounPhrase
from .task_rules import build

LONGEST_TASK = 1000  # characters
MOST_WORDS = 120
STAYS = {'_STILL', '_LEFT_ALONE', '_DO_NOT_TOUCH'}
Commands = tuple[Command, ...]


def readings(task: str, scene: Scene | None = None, skills: Iterable[str] = ()) -> list[Commands]:
    """The commands of each reading of a task. Raises NotUnderstood, or Open for a question.

    The names of `skills` are verbs, too.
    """
    made: dict[Commands, None] = {}
    why: Open | None = None
    for commands in parsed(task, scene, skills=skills):
        try:
            made[tuple(joined(commands))] = None
        except Open as question:
            why = question
    if not made and why is not None:
        raise why
    return list(made)


def parsed(text: str, scene: Scene | None = None, start: str = 'start',
           skills: Iterable[str] = ()) -> tuple[Any, ...]:
    """All that a text may mean as that rule of the grammar. Raises NotUnderstood."""
    if len(text) > LONGEST_TASK:
        raise NotUnderstood(f'{text[:40]}...', f'longer than {LONGEST_TASK} characters')
    verbs = parser().lexicon.skill_verbs(skills)
    words, found = _parsed(text, word_names(scene), verbs, start)
    if not any(found):
        raise NotUnderstood(text.strip(), _unknown(words) or 'the words fit, but make no task '
                            'together')
    return found


@lru_cache(maxsize=256)  # a task is read again for every plan
def _parsed(text: str, names: frozenset[str], verbs: frozenset[str], start: str
            ) -> tuple[list[SaidWord], tuple[Any, ...]]:
    words = parser().lexicon.tokens(text, names, verbs)
    if not words or len(words) > MOST_WORDS:
        raise NotUnderstood(text.strip(), 'it names no action' if not words else
                            f'longer than {MOST_WORDS} words')
    try:
        return words, tuple(parser().readings(words, build, start))
    except Stops as stops:
        raise NotUnderstood(text.strip(), _odd_word(words, stops.at)) from None


def asks_for_nothing(task: str) -> bool:
    """Whether the whole task says that nothing should move: "stop", "leave it"."""
    try:
        words, found = _parsed(task[:LONGEST_TASK], frozenset(), frozenset(), 'start')
    except NotUnderstood:
        return False
    stays = any(w.categories & STAYS for w in words) and not _unknown(words)
    return stays and not any(found) and (
        found != () or all('NOUN' not in w.categories for w in words))


def _unknown(words: list[SaidWord]) -> str:
    odd = next((w for w in words if 'UNKNOWN' in w.categories), '')
    return odd and f'"{odd}" is not a word of the grammar, and nothing here is called so'


def _odd_word(words: list[SaidWord], at: int | None) -> str:
    if at is None:
        return 'its words fit together in too many ways; say it in shorter parts'
    if unknown := _unknown(words[:at + 1]):
        return unknown
    if at >= len(words):
        return 'something is missing at its end'
    before = ' '.join(words[max(0, at - 2):at])
    return f'"{words[at]}" does not fit{f" after {before!r}" if before else " there"}'


def phrases(text: str, scene: Scene | None = None) -> tuple[NounPhrase, ...]:
    """The noun phrases of a list, or the only one. Raises NotUnderstood."""
    listed: tuple[NounPhrase, ...] = parsed(text, scene, 'things_at')[0]
    return listed
