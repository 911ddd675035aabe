"""What the rules of the grammar for orders and wishes mean: commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .noun_rules import ALL, NOUN_RULES, Mod, like, modified
from .phrases import ANYTHING, Command, NounPhrase, Place, Relation, Verb
from .place_rules import THERE, Places, is_table

Commands = tuple[Command, ...]
NOWHERE = 'nowhere'  # the key of a command that does not say where to
GAP, GAP_BUT, SAME = 'gap', 'gap but', 'same'  # keys of commands that leave something out
_KEYS = {('small', 'big'): 'size_up', ('big', 'small'): 'size_down',
         ('short', 'tall'): 'height_up', ('tall', 'short'): 'height_down'}
_OPPOSITE = {'small': 'big', 'big': 'small', 'short': 'tall', 'tall': 'short'}
_LEVELS = {'bottom': 0, 'middle': 1, 'top': 2}
_TAKING = ('take', 'get', 'pick', 'lift', 'grab', 'fetch')
_NOT_FAR = ('put', 'bring', 'return', 'place', 'set')


@dataclass(frozen=True)
class TowerOrder:
    """How a tower or row is ordered: up or down the list, or by what is at its ends."""

    way: str
    ends: tuple[tuple[str, NounPhrase], ...] = ()


def things_in(parts: Sequence[Any]) -> tuple[NounPhrase, ...]:
    for part in parts:
        if isinstance(part, NounPhrase):
            return (part,)
        if isinstance(part, tuple) and part and isinstance(part[0], NounPhrase):
            return part
    return ()


def placed(*parts: Any, **more: Any) -> Commands | None:
    """A command that puts the things of the parts to their last place."""
    things = things_in(parts)
    places = next(p for p in parts if isinstance(p, Places))
    for mod in (p for p in parts if isinstance(p, Mod)):
        last = modified(things[-1], (mod,)) if len(things) == 1 else None
        if last is None:
            return None
        things = (last,)
    goes = places[-1]
    counted = any(t.quantity in ('at_most', 'no') for t in things)
    if goes.relation in (Relation.FROM, Relation.UNDER) or (
            counted and not more.get('states')):
        return None
    if goes.relation is Relation.TO_PERSON:
        return (Command(Verb.GIVE, '', _described(things, places[:-1]),
                        states=more.get('states', False)),)
    return (Command(Verb.PUT, '', things, tuple(places), **more),)


def _goes(relation: Relation, *landmarks: NounPhrase, sure: bool = True) -> Places:
    return Places((Place(relation, landmarks, sure=sure),))


def _does(verb: Verb) -> Callable[..., Commands]:
    return lambda *parts: (Command(verb, '', things_in(parts)),)


def _to(relation: Relation) -> Callable[..., Commands | None]:
    return lambda *parts: placed(*parts, _goes(relation))


def _wish(**more: Any) -> Callable[..., Commands | None]:
    return lambda *parts: placed(*parts, states=True, **more)


def _keyed(found: Commands | None, key: str) -> Commands | None:
    return found and tuple(replace(command, key=key) for command in found)


def _put(*parts: Any) -> Commands | None:
    verb, last = parts[0], next(p for p in parts if isinstance(p, Places))[-1]
    back = last.direction == 'back' and last.distance_m is None and verb in _NOT_FAR
    shoved = verb == 'shove' and last.relation is Relation.ASIDE
    got = verb == 'get' and not last.sure and last.relation not in (Relation.IN, Relation.ON)
    if back or shoved or got:
        return None  # "put it back" is where it was; "shove it to the left" is a push
    return placed(*parts)


def _carry(*parts: Any) -> Commands | None:
    """ "take it to the bowl"; "take the cube in the bowl" only says which one."""
    last = parts[-1][-1]
    sure = last.sure and (last.direction != 'back' or last.distance_m is not None)
    return placed(*parts) if sure else None


def _put_into(*parts: Any) -> Commands | None:
    return placed(*parts[:-1], _goes(Relation.IN, parts[-1]))


def _not_so(found: Commands, contrast: tuple[bool, NounPhrase]) -> Commands | None:
    """ "... instead of the bin"; "..., not the blue one": an exception, if it is of several."""
    of_things, phrase = contrast
    last = found[-1]
    fits = last.verb in (Verb.PUT, Verb.GIVE, Verb.PICK) and not any(
        t.is_several for t in last.things) if of_things else last.verb is Verb.PUT
    return (*found[:-1], replace(last, contrast=phrase)) if fits else None


def _down(verb: str, things: tuple[NounPhrase, ...]) -> Commands | None:
    return None if verb in ('move', 'shift', 'bring', 'get') else placed(
        things, _goes(Relation.DOWN))


def _wish_not(*parts: Any) -> Commands | None:
    """ "the cube should not be in the bowl"; of several that may mean all or any."""
    several = any(t.is_several or t.quantity for t in things_in(parts))
    return None if several else _wish_not_so(*parts)


def _wish_not_so(*parts: Any) -> Commands | None:
    *others, last = parts[-1]
    denied = Places((*others, replace(last, negated=True)))
    return None if others else placed(*parts[:-1], denied, states=True)


def _gripper(negated: bool) -> Commands:
    held = Place(Relation.HELD, sure=True, negated=negated)
    return (Command(Verb.PUT, '', (NounPhrase('something', pronoun=ANYTHING),), (held,),
                    states=True),)


def _holds(landmark: NounPhrase, things: Any, **more: Any) -> Commands | None:
    return placed(things, _goes(Relation.TO, landmark), states=True, **more)


def _none_there(phrase: NounPhrase, places: Places) -> Commands | None:
    none = replace(phrase, quantity='no', definite=False)
    return placed(none, places, states=True, may_lack=True)


def _per(things: NounPhrase, noun: str) -> Commands | None:
    each = NounPhrase('', (noun,), 'all', definite=False)
    return placed(things, _goes(Relation.ON, each, sure=False), states=True)


def _gap(*parts: Any) -> Commands | None:
    """Only "put" may be left out: "the cube in the bowl"."""
    last = parts[1][-1]
    back = last.relation is Relation.ASIDE and last.direction == 'back'
    return None if back else _keyed(placed(*parts, states=True), GAP)


def _swap(*parts: Any) -> Commands | None:
    things = things_in(parts)
    return (Command(Verb.SWAP, '', things),) if len(things) > 1 or things[0].is_several else None


def _pick(*parts: Any) -> Commands | None:
    things = things_in(parts)
    if parts[0] in _TAKING and any(p.relation is Relation.FROM for t in things for p in t.places):
        return None  # "take it out of the bowl" says where it should not be
    return (Command(Verb.PICK, '', things),)


def _want_it(things: tuple[NounPhrase, ...]) -> Commands | None:
    return None if any(t.places or t.pronoun for t in things) else (
        Command(Verb.GIVE, '', things),)


def _leave(*parts: Any) -> Commands | None:
    things, places = things_in(parts), tuple(p for p in parts if isinstance(p, Place))
    return None if any(t.pronoun for t in things) else (
        Command(Verb.LEAVE, '', things, places),)


def _remove(*parts: Any) -> Commands:
    return (Command(Verb.REMOVE, '', things_in(parts[:-1]),
                    (Place(Relation.FROM, (parts[-1],)),)),)


def _remove_to(_: str, things: Any, landmark: NounPhrase, places: Places) -> Commands | None:
    return placed(_described(things, (Place(Relation.FROM, (landmark,)),)), places)


def _shift(verb: Verb) -> Callable[..., Commands | None]:
    def command(*parts: Any) -> Commands | None:
        ways = tuple(p for p in parts if isinstance(p, Place))
        if ways and ways[0].relation is Relation.APART_FROM:
            return placed(*parts[:-1], Places(ways))
        return (Command(verb, '', things_in(parts), ways),)
    return command


def _turn(*parts: Any) -> Commands:
    degrees = parts[-1] if isinstance(parts[-1], float) else 180.0
    return (Command(Verb.TURN, '', things_in(parts), degrees=degrees),)


def _stack(*parts: Any) -> Commands | None:
    things, order = things_in(parts), parts[-1] if isinstance(parts[-1], TowerOrder) else None
    if len(things) > 1 and any(r.word in _LEVELS for t in things for r in t.ranks):
        return None  # "the cubes, the red one at the bottom" is no list
    if order is None:
        return (Command(Verb.STACK, '', things),)
    if order.way in ('up', 'down'):
        listed = things if order.way == 'up' else things[::-1]
        return (Command(Verb.STACK, '', listed, key='ordered'),)
    ends = sorted(order.ends, key=lambda end: _LEVELS.get(end[0], 0))
    sides = [side for side, _ in ends]
    if len({*sides}) < len(ends) or len({p.words for _, p in ends}) < len(ends) or not (
            _LEVELS.keys() >= {*sides}):
        return None
    if not things:
        return None if len(ends) < 2 else (
            Command(Verb.STACK, '', tuple(p for _, p in ends), key='ordered'),)
    key = 'ends' if len(ends) == 2 else sides[0]
    return None if 'middle' in sides else (
        Command(Verb.STACK, '', (*things, *(like(p, things[0]) for _, p in ends)), key=key),)


def _formed(things: tuple[NounPhrase, ...], formation: tuple[Verb, Any]) -> Commands | None:
    verb, how = formation
    found = _stack(things, how) if verb is Verb.STACK else (Command(verb, '', things, key=how),)
    return found and tuple(replace(c, may_lack=True) for c in found)


def _tower_of(*parts: Any) -> Commands | None:
    if any(r.word in _LEVELS for p in parts[-1] for r in p.ranks):
        return None  # "red at the top, then blue": up or down?
    return (Command(Verb.STACK, '', parts[-1], key='ordered'),)


def _stack_on(*parts: Any) -> Commands:
    return (Command(Verb.STACK, '', things_in(parts[:-1]), tuple(_goes(Relation.ON, parts[-1]))),)


def _stack_three(*parts: Any) -> Commands:
    return (*_stack_on((parts[-2],), parts[-1]), *_stack_on(*parts[:-1]))


def _unstack(*parts: Any) -> Commands:
    things = things_in(parts)
    whole = len(things) == 1 and things[0].words == ('tower',) and not things[0].ranks
    return (Command(Verb.UNSTACK, '', () if whole else things),)


def _tidy(_: str, *mods: Mod) -> Commands | None:
    left = modified(ALL, mods)
    return (Command(Verb.TIDY, '', (left,) if mods and left is not None else ()),)


def _tidy_things(*parts: Any) -> Commands | None:
    things = things_in(parts)
    return None if any(map(is_table, things)) else (Command(Verb.TIDY, '', things),)


def _empty(*parts: Any) -> Commands | None:
    things = things_in(parts)
    odd = any(is_table(t) or t.words == ('thing',) or t.is_several and parts[0] == 'clear'
              for t in things)
    return None if odd else (Command(Verb.EMPTY, '', things),)


def _sort(*parts: Any) -> Commands:
    return (Command(Verb.SORT, '', things_in(parts), key=parts[-1]),)


def _sort_by(*parts: Any) -> Commands | None:
    said = parts[-2] if isinstance(parts[-2], str) else ''
    return _sort(*parts) if said in ('', parts[-1].split('_')[0]) else None


def _first_is(word: str) -> str | None:
    return _KEYS.get((word, _OPPOSITE.get(word, '')))


def _line_ends(*parts: Any) -> Commands | None:
    things, ends = things_in(parts), parts[-1]
    sides = [side for side, _ in ends]
    return (Command(Verb.LINE_UP, '', (*things, *(like(p, things[0]) for _, p in ends)),
                    key=' '.join(sides)),) if sorted(sides) in (
                        ['left', 'right'], ['left'], ['right']) else None


def _line_list(*parts: Any) -> Commands:
    things = things_in(parts)
    return (Command(Verb.LINE_UP, '', things, key='ordered' if len(things) > 1 else ''),)


def _line_sequence(*parts: Any) -> Commands:
    host = things_in(parts[:-1])
    things = tuple(like(t, host[0]) if len(host) == 1 else t for t in parts[-1])
    return (Command(Verb.LINE_UP, '', things, key='ordered'),)


def _described(things: tuple[NounPhrase, ...], places: Sequence[Place]) -> tuple[NounPhrase, ...]:
    last = things[-1]
    return (*things[:-1], replace(last, places=(*last.places, *places)))


COMMAND_RULES: Mapping[str, Callable[..., Any]] = {
    # Put
    'put': _put, 'put_without': _put,
    'put_it': lambda verb, places: _put(verb, NounPhrase('it', pronoun='it'), places),
    'carry': _carry, 'put_into': _put_into,
    'contrast': lambda landmark: (False, landmark), 'not_so': _not_so,
    'not_that': lambda phrase: (True, phrase),
    'in_there': lambda: THERE,
    'put_there': lambda _, things, there: placed(things, _goes(Relation.IN, there)),
    'discard': _to(Relation.DISCARDED), 'away': _to(Relation.AWAY), 'back': _to(Relation.BACK),
    'down': _down,
    'nowhere': lambda _, things: (Command(Verb.PUT, '', things, key=NOWHERE),),
    'all_into': lambda *parts: _put_into(ALL, parts[-1]),
    'contents_into': lambda _, holder, into: None if is_table(holder) else _put_into(
        NOUN_RULES['contents'](holder), into),
    'fill': lambda _, holder, things: _put_into(things, holder),
    # How things should be
    'wish_not': _wish_not, 'wish_not_so': _wish_not_so,
    'holds_nothing': lambda: _gripper(True), 'holds_something': lambda: _gripper(False),
    'not_home': lambda: (Command(Verb.HOME, '', key='not'),),
    'wish': _wish(), 'ensured': _wish(may_lack=True), 'only': _wish(only=True),
    'only_ensured': _wish(only=True, may_lack=True),
    'holds': _holds, 'holds_only': lambda holder, things: _holds(holder, things, only=True),
    'to_holder': lambda things, holder: _holds(holder, things),
    'into_it': lambda holder, things: placed(
        things, _goes(Relation.IN, holder, sure=False), states=True),
    'onto_it': lambda holder, things: placed(
        things, _goes(Relation.ON, holder, sure=False), states=True),
    'per': _per,
    'nothing_at': lambda place: _none_there(ALL, Places((place,))),
    'none_there': lambda *parts: _none_there(*parts[-2:]),
    'gap': _gap, 'gap_without': lambda *parts: _keyed(_gap(*parts), GAP_BUT),
    'again': lambda things: (Command(Verb.PUT, '', things, key=SAME, states=True),),
    'wished': lambda *states: tuple(c for state in states for c in state), 'formed': _formed,
    'a_tower': lambda *parts: (Verb.STACK, parts[-1]),
    'groups': lambda key='': (Verb.GROUP, key), 'a_row': lambda: (Verb.LINE_UP, ''),
    'onward': lambda places: _keyed(placed(NounPhrase('it', pronoun='it'), places), SAME),
    'also': lambda things: (Command(Verb.PUT, '', things, key=f'{SAME} too', states=True),),
    # Take, give, leave
    'give': _does(Verb.GIVE), 'swap': _swap, 'gather': _does(Verb.GATHER),
    'home': _does(Verb.HOME), 'release': _does(Verb.RELEASE), 'look': _does(Verb.LOOK),
    'pick': _pick, 'want_it': _want_it,
    'swap_with': lambda _, one, other: (Command(Verb.SWAP, '', (one, other)),),
    'picked_for_me': lambda found: None if found[0].text.split()[0] in (
        'get', 'fetch', 'bring') else found,
    'look_again': lambda: (Command(Verb.REPLAN, '', follows=True),),
    'skilled': lambda skill, *things: (Command(Verb.SKILL, '', tuple(
        p for part in things for p in (part if isinstance(part, tuple) else (part,))),
        key=skill),),
    'leave': _leave, 'leave_at': _leave,
    'remove': _remove, 'remove_it': _does(Verb.REMOVE), 'remove_to': _remove_to,
    'remove_all': lambda landmark: _remove(ALL, landmark),
    'slide': _shift(Verb.SLIDE), 'pull': _shift(Verb.PULL),
    # Turn
    'turn': _turn,
    'angle': lambda degrees, sign='1': float(degrees) * float(sign),
    'quarter': lambda degrees, sign='1': float(degrees) * float(sign),
    'angle_after': lambda sign, degrees: float(degrees) * float(sign),
    'spin_to': lambda side: {'left': '1', 'right': '-1'}.get(side),
    # Towers and rows
    'stack': _stack, 'tower': _stack, 'tower_of': _tower_of,
    'tower_of_ends': lambda *parts: _stack(TowerOrder('ends', parts[-1])),
    'bottom_up': lambda: TowerOrder('up'), 'top_down': lambda: TowerOrder('down'),
    'with_ends': lambda ends: TowerOrder('ends', ends), 'ends': lambda *ends: ends,
    'end': lambda phrase, side: (side, phrase), 'on_top_end': lambda phrase: ('top', phrase),
    'stack_on': _stack_on, 'stack_three': _stack_three, 'unstack': _unstack,
    'tidy': _tidy, 'tidy_things': _tidy_things, 'empty': _empty,
    'sort': _sort, 'sort_by': _sort_by,
    'sort_first': lambda key, *parts: _sort(*parts, key),
    'from_to': lambda first, last: _KEYS.get((first, last)),
    'first_is': _first_is,
    'at_end': lambda word, side: _first_is(
        word if side == 'left' else _OPPOSITE.get(word, '') if side == 'right' else ''),
    'rising': lambda key: f'{key}_up' if key in ('size', 'height') else None,
    'falling': lambda key: f'{key}_down' if key in ('size', 'height') else None,
    'line': _does(Verb.LINE_UP), 'line_ends': _line_ends, 'line_list': _line_list,
    'line_sequence': _line_sequence,
    'group_kinds': _does(Verb.GROUP),
    'group': lambda *parts: (Command(Verb.GROUP, '', things_in(parts), key=parts[-1]),),
}
