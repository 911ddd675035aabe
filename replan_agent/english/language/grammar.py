"""The front door of the grammar: a task in, commands out. Nothing here knows the scene."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from replan_agent.domain.refusals import NotUnderstood, Open

from . import tower_rules, verb_rules  # noqa: F401 - they register their verbs
from .clauses import Clause, split
from .commands import ClauseParser
from .cursor import text_of
from .joined_nouns import completed, like, one_of
from .phrases import Command, NounPhrase, Relation, Verb
from .tokens import tokenise
from .words import HOLDERS, MASS, PUT_VERBS, RELATIONS, TOWERS, VERBS


@functools.lru_cache(maxsize=256)
def parse(task: str) -> tuple[Command, ...]:
    """The commands of `task`, in order. Raises NotUnderstood, or Open for an open question."""
    clauses = split(tokenise(task))
    if not clauses:
        raise NotUnderstood(task.strip(), 'it names no action')
    commands: list[Command] = []
    for early, clause in _with_lists(clauses):
        found = ClauseParser(clause.tokens, commands, clause.opens).commands()
        found = [replace(found[0], follows=clause.follows), *found[1:]]
        last = commands[-1] if commands else None
        if last is not None and last.verb is Verb.STACK and len(last.things) > 1 and (
                clause.tokens[0].text not in VERBS and not last.places and any(
                    p.relation is Relation.ON for p in found[0].places)):
            raise Open(f'what goes on what? "{last.text}, then {found[0].text}" may mean one '
                       'tower or two')
        commands += [replace(found[0], text=text_of(e.tokens), things=_listed(e)) for e in early]
        commands += found
    _check_exchange(commands)
    _check_left_out(commands)
    if all(command.verb is Verb.LEAVE for command in commands):
        raise NotUnderstood(task.strip(), 'it names no action: say what to do, not what to avoid')
    return tuple(_with_the_other(list(_completed(commands))))


def _check_exchange(commands: Sequence[Command]) -> None:
    """Raises Open for "what is in A into B, and what is in B into A": it is no swap."""
    moves = [({n.words for p in t.places for n in p.landmarks if n.words},
              {n.words for p in c.places for n in p.landmarks if n.words})
             for c in commands if c.verb is Verb.PUT for t in c.things]
    for number, (source, target) in enumerate(moves):
        if any(source and target and source & into and target & out
               for out, into in moves[number + 1:]):
            raise Open('should the contents change places, or should all end up in one? Say it '
                       'with their names')


def _check_left_out(commands: Sequence[Command]) -> None:
    """Raises Open for "all in the bin except A. They go in the bowl": it may mean A."""
    for before, command in zip(commands, commands[1:]):
        if not (_fills(before) and _fills(command)):
            continue
        contrast = before.contrast
        left_out = any(t.without for t in before.things) or (
            contrast is not None and not HOLDERS & set(contrast.words))
        if left_out and any(t.pronoun in ('it', 'them') for t in command.things):
            raise Open(f'which ones are meant in "{command.text}"? Say it with their names')


def _fills(command: Command) -> bool:
    return command.verb is Verb.PUT and any(
        p.relation in (Relation.IN, Relation.ON) for p in command.places)


def _completed(commands: list[Command]) -> Iterator[Command]:
    """The commands with the nouns that they leave out: "the smallest ball, then the biggest"."""
    thing = landmark = NounPhrase('')
    nouns: set[str] = set()  # of several kinds, "leave the red ones" may mean all
    relations = {Relation.IN}  # "the other" is like the landmark of the command before it
    for command in commands:
        leaves = command.verb is Verb.LEAVE
        fill = like if not leaves else _kept if len(nouns) < 2 else _as_said
        towers = command.verb is Verb.UNSTACK and set(TOWERS) & set(thing.words)
        fill = _kept if towers else fill  # "leave the tall tower, take the small one apart"
        things = tuple(fill(t, thing) for t in command.things)
        places = tuple(replace(p, landmarks=tuple(
            like(n, landmark if landmark.words and p.relation in relations else things[-1])
            if n.quantity == 'other' else n for n in p.landmarks)) for p in command.places)
        thing = next((t for t in reversed(things) if t.words), thing)
        nouns |= {t.words[-1] for t in things if t.words and t.words[-1] != 'one'}
        landmark = next((n for p in reversed(places) for n in p.landmarks if n.words), landmark)
        relations = {Relation.IN, *(p.relation for p in places if p.landmarks)}
        yield replace(command, things=things, places=places)


def _as_said(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    return phrase


def _kept(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "the balls in the bowl, but leave the red one": it is a red ball."""
    is_one = 'one' in phrase.words and before.words != ('thing',)
    return completed(phrase, before) if is_one else phrase


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


def _with_lists(clauses: Sequence[Clause]) -> Iterator[tuple[list[Clause], Clause]]:
    """Each clause, after those before it that only name a thing that goes to the same place."""
    at = 0
    while at < len(clauses):
        end = at
        while end + 1 < len(clauses) and (end > at or clauses[at].says_first) and _listed(
                clauses[end]) and clauses[end + 1].tokens[0].text not in (*VERBS, 'if', 'unless'):
            end += 1
        if not any(t.text in RELATIONS for t in clauses[end].tokens):
            end = at
        yield list(clauses[at:end]), clauses[end]
        at = end + 1


def _listed(clause: Clause) -> tuple[NounPhrase, ...]:
    """The things that a clause names, if it says nothing else; else none."""
    start = 1 if clause.tokens[0].text in PUT_VERBS else 0
    parser = ClauseParser(clause.tokens[start:], [], False)
    parser.accept('first')
    try:
        things = parser.phrases()
    except (NotUnderstood, Open):
        return ()
    return things if parser.is_done else ()


def joined(commands: Sequence[Command]) -> list[Command]:
    """ "Pick up A and B and put them in C" as "put A and B in C"; "look again" as a look."""
    if all(command.verb is Verb.REPLAN for command in commands):
        return [replace(commands[0], verb=Verb.LOOK)]  # "look again" alone
    found: list[Command] = []
    for command in commands:
        last = found[-1] if found else None
        takes_them = command.verb is Verb.PUT and (command.things[0].pronoun == 'them' or (
            command.things[0].pronoun == 'it' and last is not None and len(last.things) == 1
            and (last.things[0].words in MASS or 'thing' in last.things[0].words)))  # "put it"
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
    one = things[0] if len(things) == 1 else None
    all_of_one = one is not None and one.count is None and one.quantity in ('', 'all')
    counted = them.count is not None and (one is not None or them.count != len(things))
    if (them.ranks or them.places or them.without and one is None
            or counted and not (all_of_one and them.quantity == 'all')):
        raise Open(f'which ones are meant by "{them.text}"?')
    if one is None:
        return things
    quantity = them.quantity if counted or them.quantity == 'both' else one.quantity
    return (replace(one, quantity=quantity, count=them.count if counted else one.count,
                    without=(*one.without, *them.without)),)
