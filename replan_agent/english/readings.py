# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads the words of a task: all of its readings as commands, or why there is none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.domain.scene import Scene

from .command_rules import NOWHERE
from .dictionary import SaidWord, word_names
from .noun_rules import ADJECTIVES, MASS, like
from .parser import Stops, parser
from .phrases import Command, NounPhrase, Relation, Verb
from .task_rules import build

LONGEST_TASK = 1000  # characters
MOST_WORDS = 120
STAYS = {'_STILL', '_LEFT_ALONE', '_DO_NOT_TOUCH'}
Commands = tuple[Command, ...]


def readings(task: str, scene: Scene | None = None, skills: Iterable[str] = ()) -> list[Commands]:
    """The commands of each reading; `skills` are verbs, too. Raises NotUnderstood or Open."""
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
    own = parser().lexicon.own_words(skills, scene)
    words, found = _parsed(text, word_names(scene), own, start)
    if not any(found):
        raise NotUnderstood(text.strip(), _odd_word(words, len(words)) if any(
            map(_is_unknown, words)) else 'the words fit, but make no task together')
    return found


@lru_cache(maxsize=256)  # a task is read again for every plan
def _parsed(text: str, names: frozenset[str], own: frozenset[tuple[str, str]], start: str
            ) -> tuple[list[SaidWord], tuple[Any, ...]]:
    words = parser().lexicon.tokens(text, names, own)
    if not words or len(words) > MOST_WORDS:
        raise NotUnderstood(text.strip(), 'it names no action' if not words else
                            f'longer than {MOST_WORDS} words')
    try:
        return words, tuple(parser().readings(words, build, start))
    except Stops as stops:
        raise NotUnderstood(text.strip(), _odd_word(words, stops.args[0])) from None


def asks_for_nothing(task: str) -> bool:
    """Whether the whole task says that nothing should move: "stop", "leave it"."""
    try:
        words, found = _parsed(task[:LONGEST_TASK], frozenset(), frozenset(), 'start')
    except NotUnderstood:
        return False
    stays = any(w.categories & STAYS for w in words) and not any(map(_is_unknown, words))
    return stays and not any(found) and (
        found != () or all('NOUN' not in w.categories for w in words))


def _is_unknown(word: SaidWord) -> bool:
    return 'UNKNOWN' in word.categories


def _odd_word(words: list[SaidWord], at: int | None) -> str:
    """Why the words are not understood: the first unknown one, or the one they stop at."""
    if at is None:
        return 'its words fit together in too many ways; say it in shorter parts'
    at = next((n for n, word in enumerate(words[:at + 1]) if _is_unknown(word)), at)
    if at >= len(words):
        return 'something is missing at its end'
    if _is_unknown(words[at]) and words[at] not in parser().lexicon.vocabulary:
        return f'"{words[at]}" is not a word of the grammar, and nothing here is called so'
    before = ' '.join(words[max(0, at - 2):at])
    return f'"{words[at]}" does not fit{f" after {before!r}" if before else " there"}'


def phrases(text: str, scene: Scene | None = None) -> tuple[NounPhrase, ...]:
    """The noun phrases of a list, or the only one. Raises NotUnderstood."""
    listed: tuple[NounPhrase, ...] = parsed(text, scene, 'things_at')[0]
    return listed


# What commands of one task say about each other: nouns that are left out, "the other", "them"

def joined(commands: Sequence[Command]) -> list[Command]:
    """The commands with what the others say of them. Raises Open if that is unclear."""
    for command in commands:
        if command.key == NOWHERE:
            raise Open(f'where should it go? "{command.text}" does not say', Cause.PLACE_NOT_SAID)
    _check_left_out(commands)
    return _taken_together(list(_with_the_other(list(_with_nouns(commands)))))


def _check_left_out(commands: Sequence[Command]) -> None:
    """Raises Open for "all except A. They ...", and for "keep A in it, take the rest out"."""
    for before, command in itertools.pairwise(commands):
        left_out = before.contrast is not None or any(t.without for t in before.things)
        kept = before.verb is Verb.LEAVE and any(p.relation is Relation.IN for p in before.places)
        if kept and any(t.quantity == 'rest' for t in command.things) or (
                left_out and before.verb is command.verb is Verb.PUT
                and any(t.pronoun in ('it', 'them') for t in command.things)):
            raise Open(f'which ones are meant in "{command.text}"? Say it with their names')


def _with_nouns(commands: Sequence[Command]) -> Iterator[Command]:
    """The commands with the nouns that they leave out: "the smallest ball, then the biggest"."""
    thing = landmark = NounPhrase('')
    nouns: set[str] = set()  # of several kinds, "leave the red ones" may mean all
    for command in commands:
        if command.verb in (Verb.LEAVE, Verb.UNSTACK):
            things = tuple(like(t, thing) if len(nouns) < 2 and 'one' in t.words else t
                           for t in command.things)
        else:
            things = tuple(like_before(t, thing) for t in command.things)
        places = tuple(replace(p, landmarks=tuple(
            like_before(n, landmark if landmark.words and p.relation is not Relation.ON
                        else things[-1]) if n.quantity == 'other' else n
            for n in p.landmarks)) for p in command.places)
        thing = next((t for t in reversed(things) if t.words), thing)
        nouns |= {t.words[-1] for t in things if t.words and t.words[-1] != 'one'}
        landmark = next((n for p in reversed(places) for n in p.landmarks if n.words), landmark)
        yield replace(command, things=things, places=places)


def like_before(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "the biggest", "the other", "the others" after "the smallest ball": balls, too."""
    noun = tuple(w for w in before.words if w not in ADJECTIVES and not w.startswith('-'))
    if not noun:
        return phrase
    if phrase.plural and 'one' in phrase.words:
        phrase = like(phrase, before)
    said = phrase.text.split()[-1:]
    if phrase.quantity == 'rest' and said == ['others']:
        one_kind = before.ranks or before.quantity in ('some', 'exactly', 'at_least')
        return replace(phrase, words=noun, quantity='rest' if one_kind else 'others')
    if phrase.quantity == 'rest' and said == ['rest'] and (
            before.quantity in ('some', 'exactly') and noun != ('thing',)):
        return replace(phrase, words=noun, quantity='others')  # "one ball here, the rest there"
    bare = not phrase.words and phrase.ranks or (
        phrase.quantity == 'other' and phrase.words in ((), ('one',)))
    return replace(phrase, words=noun) if bare else phrase


def one_of(phrase: NounPhrase) -> NounPhrase:
    """ "one cube" as "a cube"."""
    single = phrase.quantity == 'exactly' and phrase.count == 1 and not phrase.plural
    return replace(phrase, quantity='some', count=None) if single else phrase


def _with_the_other(commands: list[Command]) -> Iterator[Command]:
    """ "one cube in the bowl, the other one in the bin": the first is chosen, as "a cube" is."""
    for number, command in enumerate(commands):
        after = commands[number + 1:]
        own = any(n.quantity == 'other' and p.relation is Relation.ON
                  for p in command.places for n in p.landmarks)  # "one cube on the other"
        if own or command.verb is not Verb.LEAVE and any(
                t.quantity in ('other', 'others', 'rest') for c in after for t in c.things):
            command = replace(command, things=tuple(map(one_of, command.things)))
        if any(n.quantity == 'other' for c in after for p in c.places for n in p.landmarks):
            command = replace(command, places=tuple(replace(p, landmarks=tuple(
                map(one_of, p.landmarks))) for p in command.places))
        yield command


def _taken_together(commands: Sequence[Command]) -> list[Command]:
    """ "Pick up A and B and put them in C" as "put A and B in C"; "look again" as a look."""
    if all(command.verb is Verb.LOOK for command in commands):
        return [replace(commands[0], key='')]  # "look again" alone
    found: list[Command] = []
    for command in commands:
        last = found[-1] if found else None
        takes_them = command.verb is Verb.PUT and (command.things[0].pronoun == 'them' or (
            command.things[0].pronoun == 'it' and last is not None and len(last.things) == 1
            and bool(set(last.things[0].words) & {*MASS, 'thing'})))  # "put it"
        several = last is not None and (len(last.things) > 1 or last.things[:1]
                                        and last.things[0].is_several)
        if last is not None and last.verb is Verb.PICK and several and takes_them:
            taken = _taken(last.things, command.things[0])
            found[-1] = replace(command, things=(*taken, *command.things[1:]),
                                contrast=command.contrast or last.contrast)
        else:
            found.append(command)
    return found


def _taken(things: tuple[NounPhrase, ...], them: NounPhrase) -> tuple[NounPhrase, ...]:
    """What was taken, with what "them" says more: "both of them", "them, except the bar"."""
    first, *more = things
    if them.ranks or them.places or them.count or them.without and more:
        raise Open(f'which ones are meant by "{them.text}"?')
    return things if more else (replace(first, quantity=them.quantity or first.quantity,
                                        without=(*first.without, *them.without)),)
