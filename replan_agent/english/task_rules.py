# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the rules of the grammar for whole tasks mean: order, conditions, what is left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.reading import Remark, RemarkKind

from .command_rules import COMMAND_RULES, GAP, GAP_BUT, NOWHERE, SAME, Commands
from .noun_rules import ALL, NOUN_RULES, PLACE_RULES
from .phrases import CHOICE, DENIED, OPPOSITE, Command, NounPhrase, Place, Relation, Verb

Test = tuple[bool, NounPhrase]  # whether nothing may fit the phrase, and the phrase
THEN, STOP = 'then', 'stop'
NO_OTHERS, OF_GROUPS = 'no others', 'of groups'  # keys of sentences about the command before
_WITHOUT_DETERMINER = ('noun', 'plural', 'nbar', 'adjectives')
_REST = NounPhrase('the rest', ('thing',), 'rest')
_UNSURE = (CHOICE, 'all_but', 'rest', 'others')
_GOES_ON = (Verb.PUT, Verb.LEAVE, Verb.REMOVE, Verb.HOME, Verb.LOOK)


class _Otherwise(tuple[Command, ...]):
    """The commands of an "otherwise"."""


def build(rule: str, parts: tuple[Any, ...], said: str) -> Any:
    """What a rule with these parts means, said so; None if they make no sense together."""
    if rule.endswith('_said'):
        return rule, said, any(isinstance(p, Place) and p.has_clause for p in parts)  # of a remark
    made = RULES.get(rule)
    value = made(*parts) if made is not None else parts[0]
    if isinstance(value, Command):
        value = (value,)
    if isinstance(value, NounPhrase) and not value.text and rule not in _WITHOUT_DETERMINER:
        return replace(value, text=said)
    if isinstance(value, tuple) and value and isinstance(value[0], Command):
        return type(value)(c if c.text else replace(c, text=said) for c in value)
    return value


def _start(*parts: Any) -> Commands | None:
    if parts == ((),):
        return ()  # "stop"
    found: list[Command] = []
    join: str | int = ''
    points = [part for part in parts if isinstance(part, int)]
    if points != [*range(1, len(points) + 1)]:
        return None
    for part in parts:
        if isinstance(part, (str, int)):
            join = part if isinstance(part, str) else THEN * (part > 1)
            continue
        first, *more = part
        onward = any(place.relation is not Relation.ASIDE for place in first.places)
        if first.key == SAME and (join == STOP if onward else join != THEN):
            return None  # only "then" leaves out verb and place
        is_wish = join == STOP and first.states and not first.key
        found += [replace(first, follows=bool(join) and not is_wish or first.follows), *more]
        join = ''
    return _completed(found)


def _completed(commands: Sequence[Command]) -> Commands | None:
    """The commands; those that leave out verb or place have them of the one before."""
    found: list[Command] = []
    for said in commands:
        command: Command | None = said
        if said.key.startswith((NO_OTHERS, OF_GROUPS)):
            command = _said_of(found.pop(), said) if found else None
        elif said.key.startswith(SAME):
            command = _repeated(said, found)
        elif said.key in (GAP, GAP_BUT):
            command = _without_verb(said, found[-1] if found else None)
        if command is None:
            return None
        found.append(command)
    unplaced = len(found) > 1 and any(c.key == NOWHERE for c in found)
    return None if unplaced or all(c.verb is Verb.LEAVE for c in found) else tuple(found)


def _repeated(command: Command, before: Sequence[Command]) -> Command | None:
    """ "then the blue one", "then in the bin": the rest is as in the command before."""
    last = before[-1] if before else None
    several = len([c for c in before if c.verb is not Verb.PICK]) > 1
    if last is None or last.verb is not Verb.PUT or not last.places or several and (
            command.places and not last.follows or command.key.endswith('with')) or (
                last.condition is not command.condition):
        return None  # "A in B and C in D, then on E": what is on E? "A in B if ... Then C": if?
    places = command.places or last.places
    return replace(command, key='', places=places, repeats=not command.places)


def _without_verb(command: Command, last: Command | None) -> Command | None:
    goes = command.places[-1] if command.places else None  # "the cube to me" has none
    if last is None or goes is None:
        odd = goes and goes.relation is Relation.ASIDE and goes.distance_m is None
        return None if odd else replace(command, key='')  # "the cubes left!"
    rest = all(phrase.quantity == 'rest' for phrase in command.things)
    if command.key == GAP_BUT or last.verb is Verb.LEAVE and not rest:
        return None  # what does the exception belong to? "leave A and B in C": does B go into C?
    command = replace(command, key='', states=last.states)
    if last.verb is Verb.STACK and last.places:
        return replace(command, verb=Verb.STACK)
    opposite = OPPOSITE.get(last.places[-1].relation) if last.places else None
    if opposite and command.places == (Place(
            Relation.ASIDE, (), opposite.value.removesuffix('_of'), sure=goes.sure),):
        return replace(command, places=(replace(last.places[-1], relation=opposite),))
    sides = {place.relation for place in (*last.places[-1:], command.places[0])}
    if Relation.ASIDE in sides and sides & OPPOSITE.keys() or (
            last.verb not in _GOES_ON and not last.states):
        return None  # "A to the left and B to the right of C": A to the left of C?
    return command


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


# Order, and what is left alone

def _in_order(first: Commands, second: Commands) -> Commands:
    return (*first, replace(second[0], follows=True), *second[1:])


def _spared(clause: Commands, things: tuple[NounPhrase, ...]) -> Commands | None:
    if any(t.pronoun or t.places for t in things):
        return None
    return (*clause, *(Command(Verb.LEAVE, '', (t,)) for t in things))


def _except_first(without: tuple[NounPhrase, ...], clause: Commands) -> Commands | None:
    first = clause[0]
    last = NOUN_RULES['without'](without)(first.things[-1]) if first.things else None
    return last and (replace(first, things=(*first.things[:-1], last)), *clause[1:])


# Conditions

def _when(test: Test, *parts: Any) -> Commands | None:
    absent, needed = test
    main = [c for part in parts if not isinstance(part, _Otherwise) for c in part]
    other = [c for part in parts if isinstance(part, _Otherwise) for c in part]
    if main[0].key.startswith((GAP, SAME)) or any(c.verb is Verb.LEAVE for c in (*main, *other)):
        return None  # what should stay, stays all the time
    return tuple(replace(c, condition=needed, unless=is_other is not absent,
                         has_other=bool(other), is_other=is_other)
                 for commands, is_other in ((main, False), (other, True)) for c in commands)


def _of_target(clause: Commands, needed: NounPhrase) -> NounPhrase:
    """ "put it in the bowl if it is empty": the bowl is."""
    target = next((p.landmarks[0] for p in clause[-1].places[-1:] if p.landmarks
                   and p.relation in (Relation.IN, Relation.ON, Relation.FROM)), None)
    return replace(needed, places=tuple(replace(p, landmarks=(target,)) if (
        target is not None and p.landmarks and p.landmarks[0].pronoun == 'it') else p
        for p in needed.places))


def _when_last(clause: Commands, test: Test, *other: Any) -> Commands | None:
    if any(c.key.startswith((GAP, SAME)) for c in clause[1:]):
        return None  # "put A in B and C in D if ...": both of them?
    return _when((test[0], _of_target(clause, test[1])), clause, *other)


def _until(clause: Commands, end: int | Test) -> Commands | None:
    """ "until there are two in it"; "until no cube is left" is about all of them."""
    command, *more = clause
    if more or command.verb not in (Verb.PUT, Verb.REMOVE):
        return None
    thing = command.things[-1]
    if isinstance(end, int):
        thing = replace(thing, quantity='exactly', count=end)
        return (replace(command, states=True, things=(*command.things[:-1], thing)),)
    absent, left = end
    if not absent:
        return None
    if thing.quantity == 'some' and not thing.ranks:  # "put a cube in the bin until ..."
        thing = replace(thing, quantity='all', count=None)
    if not left.words:  # "none is left"
        left = replace(thing, quantity='all', places=left.places)
    return (replace(command, things=(*command.things[:-1], thing),
                    until=_of_target(clause, left)),) if not thing.count else None


def _test(*parts: Any) -> Test | None:
    """What must be there, or must not: "there is no cube", "the cube is not in the bowl".

    "Some cube is not in it" is about one that is elsewhere, "the bowl does not contain a cube"
    about none in it. "The cubes are not in it" is DENIED: the scene may tell what that means.
    """
    phrase, *places = [part for part in parts if not isinstance(part, str)]
    is_none, denied = phrase.quantity == 'no', any(isinstance(part, str) for part in parts)
    after = denied and isinstance(parts[0], NounPhrase)
    if phrase.text.startswith('any') and not phrase.count:
        phrase = replace(phrase, quantity='some')
    how_many, count = '' if is_none else phrase.quantity, phrase.count
    if denied and (is_none or how_many in _UNSURE or after and how_many == 'exactly'
                   or how_many == 'other' and phrase.plural):
        return None
    if after and (how_many in ('at_least', 'at_most')
                  or how_many == 'some' and phrase.text.startswith(('any', 'some'))):
        denied, places = False, [replace(place, negated=True) for place in places]
    elif after and (phrase.is_several or how_many == 'some') or denied and (
            how_many == 'both' or phrase.plural and phrase.definite and not how_many):
        how_many, count = DENIED, 2 if how_many == 'both' else count
    return is_none or denied, replace(
        phrase, quantity=how_many, count=count, places=(*phrase.places, *places))


# Remarks: answers, corrections, what is asked

def _remark(kind: RemarkKind, denies: bool = False) -> Callable[..., Remark | None]:
    def made(*parts: Any) -> Remark | None:
        said = {part[0]: part[1] for part in parts if isinstance(part, tuple)}
        number = next((part for part in parts if isinstance(part, int)), 0)
        things, places, order = (
            said.get(f'{part}_said', '') for part in ('things', 'places', 'order'))
        return None if things and any(p[2] for p in parts if isinstance(p, tuple)) else Remark(
            kind, things, places, order, number, denies, 'too_said' in said)

    return made


RULES: Mapping[str, Callable[..., Any]] = {
    **NOUN_RULES, **PLACE_RULES, **COMMAND_RULES, 'start': _start, 'still': lambda: (),
    'join': lambda *point: point[0] if point else '', 'stop': lambda: STOP, 'then': lambda: THEN,
    'in_order': _in_order, 'in_reverse': lambda second, first: _in_order(first, second),
    'numbered': int,
    'no_others': lambda landmark: Command(Verb.LEAVE, '', (landmark,), key=NO_OTHERS),
    'of_groups': lambda *parts: Command(Verb.GROUP, '', key=' '.join((OF_GROUPS, *kinds))) if len(
        kinds := {p for p in parts[1:] if p and isinstance(p, str)}) < 2 else None,
    'as_ever': lambda *_: '',
    'of_kind': lambda *parts: parts[-1], 'of_colour': lambda *_: 'colour',
    'spared': _spared, 'spared_first': lambda things, clause: _spared(clause, things),
    'nothing_else': lambda clause: (*clause, Command(Verb.LEAVE, '', (_REST,))),
    'except_first': _except_first, 'when': _when, 'when_last': _when_last,
    'unless': lambda test, clause: _when((not test[0], test[1]), clause),
    'unless_last': lambda clause, test: _when_last(clause, (not test[0], test[1])),
    'there_is_then': lambda phrase, clause: _when((False, phrase), clause),
    'other': lambda *parts: _Otherwise(c for part in parts for c in part),
    'nothing': lambda *_: _Otherwise(), 'until_so': _until, 'so_many': int,
    'none_left': lambda *place: (True, NounPhrase('none', places=place)),
    'test': _test, 'is_empty': lambda holder, *no: None if holder.quantity and not no else (
        not no, replace(ALL, quantity='some', places=(Place(Relation.IN, (holder,)),))),
    'holds_one': lambda holder, *parts: _test(*parts, Place(Relation.IN, (holder,))),
    'nothing_there': lambda *place: (True, replace(ALL, quantity='some', places=place)),
    # Remarks
    'number': lambda said: (int(said) or None) if said.isdecimal() else None,
    'nth': lambda said: int(said) or -1,  # 0 is the last
    'any_number': lambda: 1, 'greeting': _remark(RemarkKind.GREETING),
    'ask_empty': lambda holder: Remark(RemarkKind.WHAT, 'everything', f'in {holder[1]}'),
    'change': _remark(RemarkKind.CHANGE), 'correction': _remark(RemarkKind.CHANGE, denies=True),
    **{kind.value: _remark(kind) for kind in (RemarkKind.YES, RemarkKind.NO, RemarkKind.UNDO)},
    **{f'ask_{kind.value}': _remark(kind) for kind in (
        RemarkKind.WHAT, RemarkKind.SEEN, RemarkKind.HELD, RemarkKind.WHERE, RemarkKind.COUNT,
        RemarkKind.IS, RemarkKind.WHY, RemarkKind.DONE, RemarkKind.ABLE)},
}
