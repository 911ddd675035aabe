# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the rules of the grammar for orders and wishes mean: commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .noun_rules import ALL, NOUN_RULES, THERE, Places, is_table, like, modified
from .phrases import ANYTHING, Command, NounPhrase, Place, Relation, Verb

Commands = tuple[Command, ...]
NOWHERE = 'nowhere'  # the key of a command that does not say where to
GAP, GAP_BUT, SAME = 'gap', 'gap but', 'same'  # keys of commands that leave something out
IT = NounPhrase('it', pronoun='it')
_EVERYTHING = replace(ALL, text='everything', definite=True)
_REVERSED = {'size_up': 'size_down', 'size_down': 'size_up', 'height_up': 'height_down',
             'height_down': 'height_up'}
_LEVELS = {'bottom': 0, 'middle': 1, 'top': 2}
_TAKING = ('take', 'get', 'pick', 'lift', 'grab', 'fetch')
_NOT_FAR = ('put', 'bring', 'return', 'place', 'set', *_TAKING)
Rule = Callable[..., 'Command | None']


class Ends(tuple[tuple[str, NounPhrase], ...]):
    """What is at which side of a tower or row."""


def things_in(parts: Sequence[Any]) -> tuple[NounPhrase, ...]:
    for part in parts:
        if isinstance(part, NounPhrase):
            return (part,)
        if isinstance(part, tuple) and part and isinstance(part[0], NounPhrase):
            return part
    return ()


def _does(verb: Verb, odd: Callable[[NounPhrase], object] | None = None, **more: Any) -> Rule:
    """A rule for a verb with its things and ways; it does not hold if one thing is `odd`."""
    def rule(*parts: Any) -> Command | None:
        things, ways = things_in(parts), tuple(p for p in parts if isinstance(p, Place))
        return None if odd and any(map(odd, things)) else Command(verb, '', things, ways, **more)
    return rule


def _by(verb: Verb) -> Rule:
    """A rule for a verb, the last part of which says by what."""
    return lambda *parts: Command(verb, '', things_in(parts), key=parts[-1])


def placed(*parts: Any, **more: Any) -> Command | None:
    """A command that puts the things of the parts to their last place."""
    things = things_in(parts)
    places = next(p for p in parts if isinstance(p, Places))
    goes, mods = places[-1], [p for p in parts if callable(p)]
    if mods:
        left = modified(things[-1], mods) if len(things) == 1 else None
        things = (left,) if left is not None else ()
    odd = goes.relation is Relation.APART_FROM if more.get('states') else any(
        t.quantity in ('at_most', 'no') for t in things)  # so far away, or farther?
    if not things or odd or goes.relation in (Relation.FROM, Relation.UNDER):
        return None
    if goes.relation is Relation.TO_PERSON:
        return Command(Verb.GIVE, '', _described(things, places[:-1]), **more)
    return Command(Verb.PUT, '', things, tuple(places), **more)


def _goes(relation: Relation, *landmarks: NounPhrase, sure: bool = True) -> Places:
    return Places((Place(relation, landmarks, sure=sure),))


def _to(relation: Relation, odd: Callable[[NounPhrase], object] = lambda thing: False) -> Rule:
    return lambda *parts: None if any(map(odd, things_in(parts))) else placed(
        *parts, _goes(relation))


def _wish(**more: Any) -> Rule:
    return lambda *parts: placed(*parts, states=True, **more)


def _there(relation: Relation, **more: Any) -> Rule:
    """ "the bowl should contain the cube", "in the bowl put the cube"."""
    return lambda holder, things: placed(things, _goes(
        relation, holder, sure=relation is Relation.TO), states=True, **more)


def _put(*parts: Any) -> Command | None:
    """ "put it back" is where it was, "5 cm away" from B is a place; "shove it left" is a push."""
    verb, last = parts[0], next(p for p in parts if isinstance(p, Places))[-1]
    there = (last.relation is Relation.APART_FROM and verb not in ('take', 'get')
             if last.distance_m else last.direction == 'back')
    pushed = verb == 'shove' and last.relation is Relation.ASIDE
    return None if there and verb in _NOT_FAR or pushed else placed(*parts)


def _put_but(verb: str, things: Any, places: Places, others: Any, to: Places) -> Commands | None:
    """ "everything in the bowl, but the ball in the bin"; "on the table" says which things."""
    if places[-1].relation not in (Relation.IN, Relation.ON) or is_table(places[-1].landmarks[0]):
        return None
    one, other = _put(verb, things, places, NOUN_RULES['without'](others)), _put(verb, others, to)
    return (one, other) if one and other else None


def _put_into(*parts: Any) -> Command | None:
    return placed(*parts[:-1], _goes(Relation.IN, parts[-1]))


def _not_so(found: Commands, contrast: tuple[bool, NounPhrase]) -> Commands | None:
    """ "... instead of the bin"; "..., not the blue one": an exception, if it is of several."""
    of_things, phrase = contrast
    last = found[-1]
    fits = last.verb in (Verb.PUT, Verb.GIVE, Verb.PICK) and not any(
        t.is_several for t in last.things) if of_things else last.verb is Verb.PUT
    return (*found[:-1], replace(last, contrast=phrase)) if fits else None


def _wish_not_so(*parts: Any) -> Command | None:
    *others, last = parts[-1]
    denied = Places((replace(last, negated=True),))
    return None if others else placed(*parts[:-1], denied, states=True)


def _gripper(negated: bool) -> Command:
    held = Place(Relation.HELD, sure=True, negated=negated)
    anything = NounPhrase('something', pronoun=ANYTHING)
    return Command(Verb.PUT, '', (anything,), (held,), states=True)


def _none_there(*parts: Any) -> Command | None:
    none = replace(parts[-2], quantity='no', definite=False)
    return placed(none, parts[-1], states=True, may_lack=True)


def _gap(*parts: Any) -> Command | None:
    """Only "put" may be left out: "the cube in the bowl"."""
    last, found = parts[1][-1], placed(*parts, states=True)
    back = last.relation is Relation.ASIDE and last.direction == 'back'
    key = GAP_BUT if any(map(callable, parts)) else GAP
    return replace(found, key=key) if found and not back else None


def _swap(*parts: Any) -> Command | None:
    things = things_in(parts)
    return Command(Verb.SWAP, '', things) if things[1:] or things[0].is_several else None


def _pick(*parts: Any) -> Command | None:
    things = things_in(parts)
    if parts[0] in _TAKING and any(p.relation is Relation.FROM for t in things for p in t.places):
        return None  # "take it out of the bowl" says where it should not be
    return Command(Verb.PICK, '', things)


def _slide(*parts: Any) -> Command | None:
    if isinstance(parts[-1], Place) and parts[-1].relation is Relation.APART_FROM:
        return placed(*parts[:-1], Places(parts[-1:]))
    return _does(Verb.SLIDE)(*parts)


def _turn(*parts: Any) -> Command:
    degrees = parts[-1] if isinstance(parts[-1], float) else 180.0
    return Command(Verb.TURN, '', things_in(parts), degrees=degrees)


def _empty(*parts: Any) -> Command | None:
    things = things_in(parts)
    odd = any(is_table(t) or t.words == ('thing',) or t.is_several and parts[0] == 'clear'
              for t in things)
    return None if odd else Command(Verb.EMPTY, '', things)


def _described(things: tuple[NounPhrase, ...], places: Sequence[Place]) -> tuple[NounPhrase, ...]:
    last = things[-1]
    return (*things[:-1], replace(last, places=(*last.places, *places)))


# Towers and rows

def _stack(*parts: Any) -> Command | None:
    things, ends = things_in(parts), parts[-1] if isinstance(parts[-1], Ends) else Ends()
    if len(things) > 1 and any(r.word in _LEVELS for t in things for r in t.ranks):
        return None  # "the cubes, the red one at the bottom" is no list
    if not ends:
        return Command(Verb.STACK, '', things)
    levels = {_LEVELS.get(side) for side, _ in ends}
    listed = tuple(phrase for _, phrase in sorted(ends, key=lambda end: _LEVELS.get(end[0], 0)))
    if None in levels or len(levels) < len(ends) or len({p.words for p in listed}) < len(ends):
        return None
    if not things:
        return Command(Verb.STACK, '', listed, key='ordered') if listed[1:] else None
    key = 'ends' if len(ends) == 2 else ends[0][0]
    return None if 1 in levels else Command(
        Verb.STACK, '', (*things, *(like(p, things[0]) for p in listed)), key=key)


def _formed(things: tuple[NounPhrase, ...], formation: tuple[Verb, Any]) -> Command | None:
    verb, how = formation
    found = _stack(things, how) if verb is Verb.STACK else Command(verb, '', things, key=how)
    return found and replace(found, may_lack=True)


def _stack_on(*parts: Any) -> Command:
    return Command(Verb.STACK, '', things_in(parts[:-1]), _goes(Relation.ON, parts[-1]))


def _unstack(*parts: Any) -> Command:
    things = things_in(parts)
    whole = len(things) == 1 and things[0].words == ('tower',) and not things[0].ranks
    return Command(Verb.UNSTACK, '', () if whole else things)


def _line_sequence(*parts: Any) -> Command:
    host = things_in(parts[:-1])
    things = tuple(like(t, host[0]) if len(host) == 1 else t for t in parts[-1])
    return Command(Verb.LINE_UP, '', things, key='ordered' if things[1:] else '')


COMMAND_RULES: Mapping[str, Callable[..., Any]] = {
    # Put
    'put': _put, 'put_but': _put_but, 'put_into': _put_into, 'not_so': _not_so,
    'carry': lambda *parts: _put(*parts) if parts[-1][-1].sure else None,  # or it says which one
    'put_it': lambda verb, place: _put(verb, IT, Places((place,))),
    'put_there': lambda _, things: _put_into(things, THERE),
    'contrast': lambda landmark: (False, landmark), 'not_that': lambda phrase: (True, phrase),
    'discard': _to(Relation.DISCARDED), 'away': _to(Relation.AWAY), 'back': _to(Relation.BACK),
    'down': _to(Relation.DOWN), 'nowhere': _does(Verb.PUT, key=NOWHERE),
    'all_into': lambda *parts: _put_into(ALL, parts[-1]),
    'contents_into': lambda _, holder, into: None if is_table(holder) else _put_into(
        NOUN_RULES['contents'](holder), into),
    'fill': lambda _, holder, things: _put_into(things, holder),
    # How things should be
    'wish': _wish(), 'ensured': _wish(may_lack=True), 'only': _wish(only=True),
    'wish_not': lambda *parts: None if any(  # of several that may mean all or any
        t.is_several or t.quantity for t in things_in(parts)) else _wish_not_so(*parts),
    'holds_nothing': lambda: _gripper(True), 'holds_something': lambda: _gripper(False),
    'wish_not_so': _wish_not_so, 'not_home': _does(Verb.HOME, key='not'),
    'holds': _there(Relation.TO), 'holds_only': _there(Relation.TO, only=True),
    'to_holder': lambda things, holder: _there(Relation.TO)(holder, things),
    'into_it': _there(Relation.IN), 'onto_it': _there(Relation.ON),
    'nothing_at': lambda place: _none_there(ALL, Places((place,))), 'none_there': _none_there,
    'gap': _gap, 'onward': lambda places: None if (
        places[-1].direction == 'back') else placed(IT, places, key=SAME),
    'again': _does(Verb.PUT, key=SAME, states=True),
    'also': _does(Verb.PUT, key=f'{SAME} too', states=True),
    'same_with': _does(Verb.PUT, key=f'{SAME} with', states=True),
    'wished': lambda *states: tuple(c for state in states for c in state), 'formed': _formed,
    'a_tower': lambda *parts: (Verb.STACK, parts[-1]),
    'groups': lambda key='': (Verb.GROUP, key), 'a_row': lambda: (Verb.LINE_UP, ''),
    # Take, give, leave
    'pick': _pick, 'give': _does(Verb.GIVE), 'swap': _swap, 'gather': _does(Verb.GATHER),
    'home': _does(Verb.HOME), 'release': _does(Verb.RELEASE), 'look': _does(Verb.LOOK),
    'look_again': _does(Verb.LOOK, follows=True, key='again'),
    'want_it': _does(Verb.GIVE, lambda thing: thing.places or thing.pronoun),
    'swap_with': lambda _, *things: Command(Verb.SWAP, '', things),
    'skilled': lambda skill, *parts: Command(Verb.SKILL, '', tuple(
        thing for part in parts for thing in things_in([part])), key=skill),
    'leave': _does(Verb.LEAVE, lambda t: t.pronoun or t.text.startswith(('a ', 'an '))),  # all?
    'leave_there': _does(Verb.LEAVE, lambda thing: thing.pronoun, key='there'),
    'ban': _does(Verb.LEAVE, lambda thing: thing.pronoun),
    'remove': lambda *parts: _does(Verb.REMOVE)(
        *parts[:-1], Place(Relation.FROM, (parts[-1],))), 'remove_it': _does(Verb.REMOVE),
    'remove_to': lambda _, things, landmark, places: placed(
        _described(things, (Place(Relation.FROM, (landmark,)),)), places),
    'slide': _slide, 'pull': lambda *ways: _slide(*(
        replace(w, direction='closer') if getattr(w, 'direction', '') == 'back' else w
        for w in ways)),
    'turn': _turn, 'angle': lambda *parts: math.prod(map(float, parts)),
    'spin_to': lambda side: 1 if side == 'left' else -1,
    'tidy': lambda _, *mods: placed(_EVERYTHING, *mods, _goes(Relation.AWAY)),
    'tidy_things': _to(Relation.AWAY, is_table), 'empty': _empty,
    'be_empty': lambda *parts: _empty(*parts) and placed(
        *parts, _goes(Relation.EMPTY), states=True),
    # Towers and rows
    'stack': _stack, 'tower': _stack,
    'tower_of': lambda *parts: None if any(r.word in _LEVELS for p in parts[-1] for r in p.ranks)
    else Command(Verb.STACK, '', parts[-1], key='ordered'),
    'ends': lambda *ends: Ends(ends), 'end': lambda phrase, side: (side, phrase),
    'on_top_end': lambda phrase: ('top', phrase), 'stack_on': _stack_on, 'unstack': _unstack,
    'stack_three': lambda *parts: (_stack_on(*parts[-2:]), _stack_on(*parts[:-1])),
    'sort': _by(Verb.LINE_UP), 'sort_by': lambda *parts: _by(Verb.LINE_UP)(*parts) if (
        not isinstance(parts[-2], str) or parts[-2] == parts[-1].split('_')[0]) else None,
    'from_to': lambda first, last: first if last == _REVERSED[first] else None,
    'at_end': lambda first, side: first if side == 'left' else _REVERSED[first],
    'line': _does(Verb.LINE_UP), 'line_sequence': _line_sequence,
    'group_kinds': _does(Verb.GROUP), 'group': _by(Verb.GROUP),
}
