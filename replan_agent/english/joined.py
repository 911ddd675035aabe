"""What commands of one task say about each other: nouns that are left out, "the other", "them"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import Open

from .command_rules import NOWHERE
from .noun_rules import ADJECTIVES, MASS, like
from .phrases import Command, NounPhrase, Relation, Verb


def joined(commands: Sequence[Command]) -> list[Command]:
    """The commands with what the others say of them. Raises Open if that is unclear."""
    for command in commands:
        if command.key == NOWHERE:
            raise Open(f'where should it go? "{command.text}" does not say',
                       Cause.PLACE_NOT_SAID)
    _check_left_out(commands)
    return _taken_together(list(_with_the_other(list(_with_nouns(commands)))))


def _check_left_out(commands: Sequence[Command]) -> None:
    """Raises Open for "all in the bin except A. They go in the bowl": it may mean A."""
    for before, command in zip(commands, commands[1:]):
        left_out = before.contrast is not None or any(t.without for t in before.things)
        if left_out and before.verb is command.verb is Verb.PUT and any(
                t.pronoun in ('it', 'them') for t in command.things):
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
        if own or any(t.quantity in ('other', 'others', 'rest') for c in after for t in c.things):
            command = replace(command, things=tuple(map(one_of, command.things)))
        if any(n.quantity == 'other' for c in after for p in c.places for n in p.landmarks):
            command = replace(command, places=tuple(replace(p, landmarks=tuple(
                map(one_of, p.landmarks))) for p in command.places))
        yield command


def _taken_together(commands: Sequence[Command]) -> list[Command]:
    """ "Pick up A and B and put them in C" as "put A and B in C"; "look again" as a look."""
    if all(command.verb is Verb.REPLAN for command in commands):
        return [replace(commands[0], verb=Verb.LOOK)]  # "look again" alone
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
