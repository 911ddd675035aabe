"""What the rules of the grammar for whole tasks mean: order, conditions, what is left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from replan_agent.domain.remark import Remark, RemarkKind

from .command_rules import COMMAND_RULES, GAP, GAP_BUT, NOWHERE, SAME, Commands, placed
from .noun_rules import ALL, NOUN_RULES
from .phrases import Command, NounPhrase, Place, Relation, Verb, across
from .place_rules import PLACE_RULES

Test = tuple[bool, NounPhrase]  # whether nothing may fit the phrase, and the phrase
THEN, STOP = 'then', 'stop'
NO_OTHERS, OF_GROUPS = 'no others', 'of groups'  # keys of sentences about the command before
_WITHOUT_DETERMINER = ('noun', 'plural', 'unknown', 'nbar', 'ubar')
_REST = NounPhrase('the rest', ('thing',), 'rest')
_SIDES = (Relation.LEFT_OF, Relation.RIGHT_OF)
_GOES_ON = (Verb.PUT, Verb.LEAVE, Verb.REMOVE, Verb.HOME, Verb.LOOK)


@dataclass(frozen=True)
class SaidPart:
    """A part of a remark, in its words."""

    kind: str
    text: str = ''


class _Otherwise(tuple[Command, ...]):
    """The commands of an "otherwise"."""


def build(rule: str, parts: tuple[Any, ...], said: str) -> Any:
    """What a rule with these parts means, said so; None if they make no sense together."""
    made = RULES.get(rule)
    value = made(*parts) if made is not None else parts[0]
    if isinstance(value, NounPhrase) and not value.text and rule not in _WITHOUT_DETERMINER:
        return replace(value, text=said)
    if isinstance(value, tuple) and value and isinstance(value[0], Command):
        return type(value)(c if c.text else replace(c, text=said) for c in value)
    return replace(value, text=said) if isinstance(value, SaidPart) else value


def _start(*parts: Any) -> Commands | None:
    if parts == ((),):
        return ()  # "stop"
    found: list[Command] = []
    join: str | int = ''
    points = [part for part in parts if isinstance(part, int)]
    if points != list(range(1, len(points) + 1)):
        return None
    for part in parts:
        if isinstance(part, (str, int)):
            join = part if isinstance(part, str) else THEN * (part > 1)
            continue
        first, *more = part
        if first.key == SAME and (
                join == STOP if first.places and not _is_aside(first) else join != THEN):
            return None  # only "then" leaves out verb and place
        found += [replace(first, follows=bool(join) or first.follows), *more]
        join = ''
    return _completed(found)


def _is_aside(command: Command) -> bool:
    return any(place.relation is Relation.ASIDE for place in command.places)


def _completed(commands: Sequence[Command]) -> Commands | None:
    """The commands; those that leave out verb or place have them of the one before."""
    found: list[Command] = []
    for command in commands:
        last = found[-1] if found else None
        if command.key.startswith((NO_OTHERS, OF_GROUPS)):
            if last is None or (said := _said_of(last, command)) is None:
                return None
            found[-1] = said
            continue
        if command.key.startswith(SAME):
            if last is None or last.verb is not Verb.PUT or not last.places:
                return None
            if command.places and len(found) > 1 and not last.follows:
                return None  # "A in B and C in D, then on E": what is on E?
            if not command.places:
                command = replace(command, places=last.places, repeats=True)
            command = replace(command, key='')
        if command.key == GAP_BUT and last is not None:
            return None  # what does the exception belong to?
        if command.key in (GAP, GAP_BUT) and not command.places:  # "the cube to me"
            command = replace(command, key='')
        if command.key in (GAP, GAP_BUT):
            command = replace(command, key='', states=last is None or last.states)
            goes = command.places[-1]
            if last is None and goes.relation is Relation.ASIDE and goes.distance_m is None:
                return None  # "the cubes left!"
            if last is not None and last.verb is Verb.STACK and last.places:
                command = replace(command, verb=Verb.STACK)
            elif last is not None and (last.verb not in _GOES_ON and not last.states or (
                    last.places and last.places[-1].relation is Relation.ASIDE
                    and command.places[0].relation in _SIDES)):
                return None  # "A to the left and B to the right of C": A to the left of C?
            elif last is not None:
                command = replace(command, places=across(command.places, last.places))
        found.append(command)
    unplaced = len(found) > 1 and any(c.key == NOWHERE for c in found)
    return None if unplaced or all(c.verb is Verb.LEAVE for c in found) else tuple(found)


def _said_of(command: Command, more: Command) -> Command | None:
    """A command with what the next sentence says of its tower, container or groups."""
    if more.key.startswith(OF_GROUPS):
        kind = more.key.removeprefix(OF_GROUPS).strip() or command.key
        fits = command.verb is Verb.GROUP and command.key in ('', kind)
        return replace(command, key=kind) if fits else None
    landmark = more.things[0]
    meant = [p.landmarks[0].words for p in command.places[-1:] if p.landmarks] or (
        [('tower',)] if command.verb is Verb.STACK else [])
    fits = command.verb in (Verb.PUT, Verb.STACK) and bool(meant) and (
        landmark.pronoun == 'it' or landmark.words == meant[0])
    return replace(command, only=True) if fits else None


def _of_groups(*parts: Any) -> Commands | None:
    kinds = {part for part in parts[1:] if part}
    return None if len(kinds) > 1 else (
        Command(Verb.GROUP, '', key=' '.join((OF_GROUPS, *kinds))),)


# Order, and what is left alone

def _in_order(first: Commands, second: Commands) -> Commands:
    return (*first, replace(second[0], follows=True), *second[1:])


def _first_then(first: Any, second: Any, places: Any) -> Commands | None:
    one, other = placed(first, places), placed(second, places)
    return _in_order(one, other) if one and other else None


def _spared(clause: Commands, things: tuple[NounPhrase, ...]) -> Commands | None:
    if any(t.pronoun or t.places for t in things):
        return None
    return (*clause, *(Command(Verb.LEAVE, '', (t,)) for t in things))


def _except_first(without: tuple[NounPhrase, ...], clause: Commands) -> Commands | None:
    first = clause[0]
    if not first.things or not first.things[-1].is_several:
        return None
    last = replace(first.things[-1], without=without)
    return (replace(first, things=(*first.things[:-1], last)), *clause[1:])


# Conditions

def _when(test: Test, *parts: Any) -> Commands | None:
    absent, needed = test
    main = [c for part in parts if not isinstance(part, _Otherwise) for c in part]
    other = [c for part in parts if isinstance(part, _Otherwise) for c in part]
    if main[0].key.startswith((GAP, SAME)):
        return None
    has_other = any(isinstance(part, _Otherwise) for part in parts)
    return tuple(replace(c, condition=needed, unless=unless, has_other=has_other)
                 for commands, unless in ((main, absent), (other, not absent))
                 for c in commands)


def _when_last(clause: Commands, test: Test, *other: Any) -> Commands | None:
    """ "put it in the bowl if it is empty": the bowl is."""
    target = next((p.landmarks[0] for p in clause[-1].places[-1:]
                   if p.landmarks and p.relation in (Relation.IN, Relation.ON)), None)
    places = tuple(replace(p, landmarks=(target,)) if (
        target is not None and p.landmarks and p.landmarks[0].pronoun == 'it') else p
        for p in test[1].places)
    return _when((test[0], replace(test[1], places=places)), clause, *other)


def _until(clause: Commands | None, count: int) -> Commands | None:
    if clause is None or count:
        return clause and tuple(replace(c, until_count=count) for c in clause)
    return tuple(replace(c, things=tuple(replace(t, quantity='all') for t in c.things))
                 for c in clause)


def _at(phrase: NounPhrase, *places: Place) -> NounPhrase:
    return replace(phrase, places=(*phrase.places, *places))


def _there_is_no(*parts: Any) -> Test:
    phrase, *places = [p for p in parts if not isinstance(p, str)]
    said = ' '.join(phrase.words)
    return True, _at(replace(phrase, text=said, definite=False), *places)


def _holds_one(holder: NounPhrase, phrase: NounPhrase) -> Test:
    absent = phrase.quantity == 'no'
    needed = replace(phrase, quantity='' if absent else phrase.quantity)
    return absent, _at(needed, Place(Relation.IN, (holder,)))


def _nothing_at(place: Place) -> Test:
    return True, replace(ALL, definite=True, places=(place,))


def _nothing_in(holder: NounPhrase) -> Test | None:
    return None if holder.quantity else _nothing_at(Place(Relation.IN, (holder,)))


# Remarks: answers, corrections, what is asked

def _remark(kind: RemarkKind, denies: bool = False) -> Callable[..., Remark]:
    def made(*parts: Any) -> Remark:
        said = {part.kind: part.text for part in parts if isinstance(part, SaidPart)}
        number = next((part for part in parts if isinstance(part, int)), 0)
        return Remark(kind, said.get('thing', ''), said.get('place', ''), said.get('order', ''),
                      number, denies)

    return made


def _number(said: str) -> int | None:
    return (int(said) or None) if said.isdecimal() else None


RULES: Mapping[str, Callable[..., Any]] = {
    **NOUN_RULES, **PLACE_RULES, **COMMAND_RULES,
    'start': _start, 'still': lambda: (),
    'join': lambda *point: point[0] if point else '', 'stop': lambda: STOP, 'then': lambda: THEN,
    'in_order': _in_order, 'in_reverse': lambda second, first: _in_order(first, second),
    'first_then': _first_then, 'numbered': int,
    'no_others': lambda landmark: (Command(Verb.LEAVE, '', (landmark,), key=NO_OTHERS),),
    'of_groups': _of_groups, 'as_ever': lambda *_: '',
    'of_kind': lambda *parts: parts[-1], 'of_colour': lambda *_: 'colour',
    'spared': _spared, 'spared_first': lambda things, clause: _spared(clause, things),
    'nothing_else': lambda clause: (*clause, Command(Verb.LEAVE, '', (_REST,))),
    'except_first': _except_first,
    'when': _when, 'when_last': _when_last,
    'unless': lambda test, clause: _when((not test[0], test[1]), clause),
    'unless_last': lambda clause, test: _when_last(clause, (not test[0], test[1])),
    'there_is_then': lambda phrase, clause: _when((False, phrase), clause),
    'other': lambda *parts: _Otherwise(c for part in parts for c in part),
    'nothing': lambda *_: _Otherwise(),
    'until_so': _until, 'keep_until': lambda *parts: _until(placed(*parts[:-1]), parts[-1]),
    'until': int, 'until_all': lambda *_: 0,
    'test': lambda phrase: None if phrase.quantity == 'no' else (False, phrase),
    'there_is_not': lambda phrase: (True, phrase), 'there_is_no': _there_is_no,
    'holds_one': _holds_one,
    'holds_none': lambda holder, phrase: (True, _holds_one(holder, phrase)[1]),
    'nothing_there': _nothing_at,
    'is_at': lambda phrase, place: (False, _at(phrase, place)),
    'is_not_at': lambda phrase, place: (True, _at(phrase, place)),
    'is_empty': _nothing_in, 'is_full': lambda holder: (False, _nothing_at(
        Place(Relation.IN, (holder,)))[1]),
    # Remarks
    'number': _number, 'nth': lambda said: int(said) or -1,  # 0 is the last
    'any_number': lambda: 1, 'greeting': _remark(RemarkKind.GREETING),
    'ask_empty': lambda holder: Remark(RemarkKind.WHAT, 'everything', f'in {holder.text}'),
    'things_said': lambda *_: SaidPart('thing'), 'places_said': lambda *_: SaidPart('place'),
    'order_said': lambda *_: SaidPart('order'),
    'change': _remark(RemarkKind.CHANGE),
    'correction': _remark(RemarkKind.CHANGE, denies=True),
    **{kind.value: _remark(kind) for kind in (RemarkKind.YES, RemarkKind.NO, RemarkKind.UNDO)},
    **{f'ask_{kind.value}': _remark(kind) for kind in (
        RemarkKind.WHAT, RemarkKind.SEEN, RemarkKind.HELD, RemarkKind.WHERE, RemarkKind.COUNT,
        RemarkKind.IS, RemarkKind.WHY, RemarkKind.DONE, RemarkKind.ABLE)},
}
