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
    if len(task) > LONGEST_TASK:
        raise NotUnderstood(f'{task[:40]}...', f'longer than {LONGEST_TASK} characters')
    return list(_readings(task, word_names(scene), parser().lexicon.skill_verbs(skills)))


@lru_cache(maxsize=256)  # a task is read again for every plan
def _readings(task: str, names: frozenset[str], verbs: frozenset[str]) -> tuple[Commands, ...]:
    words = parser().lexicon.tokens(task, names, verbs)
    if not words or len(words) > MOST_WORDS:
        raise NotUnderstood(task.strip(), 'it names no action' if not words else
                            f'longer than {MOST_WORDS} words')
    try:
        found = parser().readings(words, build)
    except Stops as stops:
        raise NotUnderstood(task.strip(), _odd_word(words, stops.at)) from None
    if not any(found):
        raise NotUnderstood(task.strip(), _unknown(words) or 'the words fit, but make no task '
                            'together')
    return tuple(_together(found))


def asks_for_nothing(task: str) -> bool:
    """Whether the whole task says that nothing should move: "stop", "leave it"."""
    words = parser().lexicon.tokens(task[:LONGEST_TASK])
    if _unknown(words) or len(words) > MOST_WORDS or not any(w.categories & STAYS for w in words):
        return False
    try:
        found = parser().readings(words, build)
    except Stops:
        return False
    return not any(found) and (found != [] or all('NOUN' not in w.categories for w in words))


def _together(found: list[Commands]) -> list[Commands]:
    """The readings that make sense across their commands. Raises Open if none does."""
    made: dict[Commands, None] = {}
    why: Open | None = None
    for commands in found:
        try:
            made[tuple(joined(commands))] = None
        except Open as question:
            why = question
    if not made and why is not None:
        raise why
    return list(made)


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
    found = parsed(text[:LONGEST_TASK], word_names(scene), 'things_at')
    if not found:
        raise NotUnderstood(text, 'it names no thing')
    listed: tuple[NounPhrase, ...] = found[0]
    return listed


@lru_cache(maxsize=256)
def parsed(text: str, names: frozenset[str], start: str) -> tuple[Any, ...]:
    """All that a text may mean as that rule of the grammar."""
    words = parser().lexicon.tokens(text, names)
    try:
        found = parser().readings(words, build, start) if 0 < len(words) <= MOST_WORDS else ()
    except Stops:
        return ()
    return tuple(found)
