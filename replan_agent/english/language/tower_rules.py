"""The verbs that build towers and take them apart, and the one that makes groups."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.refusals import Open

from .commands import EVERYTHING, ClauseParser, rule
from .joined_nouns import completed, counted
from .phrases import Command, NounPhrase, Place, Relation, Verb
from .words import COLOURS, SIZES, TOWERS


@rule('stack', 'pile')
def _stack(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('up')
    things = c.phrases()
    c.accept('up')
    if c.peek() in ('in', 'into'):
        if [c.peek(1), c.peek(2)] == ['the', 'middle'] and len(things) > 1:
            raise c.refuse('name what is at the bottom or what is on top')
        c.at = 1
        return c.placements('put')
    said = _listed(c, things) or _said_order(c, things)
    if said is not None:
        return [said]
    key = c.key()
    if c.accept('each_other') or c.is_done:
        key = key or c.key()
        if key and not key.startswith(('size', 'height')):
            raise Open(f'which one is at the bottom? "{c.said}" does not say')
        return [c.made(Verb.STACK, things, key=key if key.endswith('_up') else '')]
    found: list[Command] = []
    while True:
        chain = [things]
        while c.accept('on', 'onto'):
            chain.append((counted(c.phrase(), things[0]),))
        if len(chain) == 1 or len(chain) > 2 and len(things) > 1:
            raise c.refuse('say what on what, as in "stack A on B on C"')
        found += [_tower_on(c, upper, lower[0]) for upper, lower in
                  reversed(list(zip(chain, chain[1:])))]
        if not c.joined() or not c.starts_phrase():  # "A on B, and C on D"
            return found
        things = c.phrases()


def _tower_on(c: ClauseParser, upper: tuple[NounPhrase, ...], lower: NounPhrase) -> Command:
    if lower.quantity in ('matching', 'own'):  # "on the big one of the same colour"
        return c.made(Verb.PUT, upper, (Place(Relation.ON, (lower,), sure=True),))
    return c.made(Verb.STACK, upper, (Place(Relation.ON, (lower,), sure=True),))


@rule('build', 'make', 'create')
def _build(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('me', 'us')
    start = c.at
    c.accept('a', 'one', 'a_bit')  # "a little" may be how much
    c.accept(*SIZES, 'nice', 'neat', 'high')
    if c.accept('row', 'line'):
        c.accept('of', 'from', 'with', 'using')
        things = c.phrases()
        return [c.listed(things) or c.with_row_ends(things) or c.made(Verb.LINE_UP, things)]
    if c.peek() == 'group' and c.peek(1) == 'of':
        c.at += 2
        return _group(c, word)
    if not c.accept(*TOWERS):
        c.at = start
        if c.tokens[-1].text in ('empty', 'clear'):  # "make the bowl empty"
            c.tokens.pop()
            return [c.made(Verb.EMPTY, c.phrases())]
        return c.caused(c.phrases())
    listed = c.peek() == ':'
    if c.kind() == 'comma':
        c.at += 1
    else:
        c.accept('of', 'from', 'with', 'using')
    if c.is_done:
        return [c.made(Verb.STACK, (replace(EVERYTHING, words=('cube',)),))]
    things = c.phrases()
    if c.peek() in ('at', 'on') and len(things) == 1:
        return [_bottom_and_top(c, things[0])]
    ordered = listed and len(things) > 1 and not any(t.is_several for t in things)
    return [_said_order(c, things) or c.made(Verb.STACK, things, key='ordered' if ordered else '')]


def _listed(c: ClauseParser, things: tuple[NounPhrase, ...]) -> Command | None:
    """ "stack the cubes: red, blue, green", the first at the bottom; else None."""
    start = c.at
    if len(things) > 1 or not things[0].is_several or not c.accept(':') or not c.starts_phrase():
        c.at = start
        return None
    names = c.phrases()
    alike = all(set(n.words) <= COLOURS | {'one'} and not n.is_several for n in names)
    if not c.is_done or not alike or len(names) != (things[0].count or len(names)):
        raise c.refuse('say what on what, as in "stack A on B on C"')
    return c.made(Verb.STACK, tuple(completed(n, things[0]) for n in names), key='ordered')


def _said_order(c: ClauseParser, things: tuple[NounPhrase, ...]) -> Command | None:
    """ "in that order from bottom to top", "with the red one at the bottom"."""
    start = c.at
    c.joined()
    in_order, way = c.accept('in_order'), c.accept('bottom_up', 'top_down')
    if in_order and not way or way and any(t.is_several for t in things):
        raise Open(f'which one is at the bottom? "{c.said}" does not say')
    if way:
        chain = things if way == 'bottom_up' else tuple(reversed(things))
        return c.made(Verb.STACK, chain, key='ordered')
    if not c.accept('with') and not c.end_follows():
        c.at = start
        return None
    ends: dict[str, NounPhrase] = {}
    while not ends or (c.joined() and c.end_follows()):
        end = c.phrase()
        c.accept('at', 'on')
        c.accept('the')
        where = c.accept('top', 'bottom')
        if not where or where in ends:
            raise c.refuse('name what is at the bottom or what is on top')
        ends[where] = end
    if len(ends) == 2:
        return c.made(Verb.STACK, (*things, ends['bottom'], ends['top']), key='ends')
    return c.made(Verb.STACK, (*things, *ends.values()), key=next(iter(ends)))


def _bottom_and_top(c: ClauseParser, first: NounPhrase) -> Command:
    """ "with the red cube at the bottom and the blue cube on top", "red on blue on yellow"."""
    if c.peek() == 'on' and c.peek(1) not in ('top', 'the'):
        chain = [first]
        while c.accept('on'):
            chain.append(c.phrase())
        return c.made(Verb.STACK, tuple(reversed(chain)), key='ordered')
    ends: dict[str, NounPhrase] = {}
    while True:
        c.accept('at', 'on')
        c.accept('the')
        where = c.accept('top', 'bottom')
        if not where:
            raise c.refuse()
        ends[where] = first
        if not c.joined() or c.is_done:
            break
        first = c.phrase()
    if len(ends) != 2:
        raise c.refuse('name what is at the bottom and what is on top')
    return c.made(Verb.STACK, (ends['bottom'], ends['top']), key='ordered')


@rule('unstack', 'dismantle')
def _unstack(c: ClauseParser, word: str) -> list[Command] | None:
    if c.accept('the') and c.accept(*TOWERS) and c.is_done or c.is_done:
        return [c.made(Verb.UNSTACK)]
    c.at = 1
    return [c.made(Verb.UNSTACK, c.phrases())]


@rule('group')
def _group(c: ClauseParser, word: str) -> list[Command] | None:
    things = c.phrases() if c.starts_phrase() else (EVERYTHING,)
    c.accept('together')
    if c.peek() in ('in_a_row', 'side_by_side'):
        return [c.in_a_row(things)]
    if c.peek() in ('in', 'into', 'on', 'onto'):
        return _grouped_at(c)
    key = c.key()
    is_row = key and c.accept('in_a_row') or c.in_a_direction or key.startswith(('size', 'height'))
    return [c.made(Verb.SORT if is_row and key else Verb.GROUP, things, key=key)]


def _grouped_at(c: ClauseParser) -> list[Command]:
    """ "group the cubes in the bowl": they are in it. Where on the table a group is, is open."""
    c.at = next(i for i, t in enumerate(c.tokens) if t.text == 'group') + 1
    found = c.placements('put')
    places = [p for command in found for p in command.places]
    on_table = [p for p in places if p.relation is Relation.ON
                and p.landmarks[0].words == ('table',)]
    if places == on_table and len(found) == 1:
        return [c.made(Verb.GROUP, found[0].things)]
    if on_table or any(p.relation not in (Relation.IN, Relation.ON) for p in places):
        raise c.refuse('the arm chooses where a group is; leave out the place')
    return found
