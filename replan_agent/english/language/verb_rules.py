"""The verbs that are more than picking and placing."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.refusals import Open

from .commands import EVERYTHING, HAND, ClauseParser, rule
from .phrases import LAY, Command, NounPhrase, Place, Rank, Relation, Verb, is_bare
from .place_parser import TABLES
from .words import DISCARD_VERBS, HOLDERS, MASS, RELATIONS, TIPPING_VERBS, TOWERS

LIQUIDS = frozenset('water tea coffee milk juice oil soup wine beer'.split())
TIPS_NOTHING = 'no skill tips, flips or knocks things over'
BY = ('by', 'through')
SMALLEST_DEG = 10
SMALL = ('small', 'little', 'slight', 'tiny', 'gentle', 'quick')
TURNS = ('turn', 'spin', 'rotation')
UNTIDY = tuple((word,) for word in 'table desk room place area mess workspace worktop'.split())


@rule('go', 'return', 'home', 'move', 'bring', 'take')
def _home(c: ClauseParser, word: str) -> list[Command] | None:
    if c.peek() in ('the', 'your') and c.peek(1) in ('arm', 'robot'):
        c.at += 2
    c.accept('back')
    c.accept('to')
    c.accept('the', 'its', 'your')
    if word == 'home' or c.accept('home'):
        if c.accept('position', 'pose', 'configuration') or c.is_done:
            return [c.made(Verb.HOME)]
    if word == 'go':
        raise c.refuse()
    c.at = 1
    if word == 'bring' and c.accept('over'):
        return [c.made(Verb.GIVE, c.phrases())]
    return _apart(c, word) if word == 'take' else None


def _apart(c: ClauseParser, word: str) -> list[Command] | None:
    start = c.at
    apart = c.accept('apart')
    things = c.phrases() if apart or any(t.text == 'apart' for t in c.tokens) else ()
    place = c.place() if things and not apart and c.peek() in RELATIONS else None
    if place is not None and place.relation is Relation.ASIDE:  # "the tower on the left"
        things = (*things[:-1], replace(things[-1], ranks=(Rank(place.direction),)))
    elif place is not None:
        things = (*things[:-1], replace(things[-1], places=(place,)))
    if things and (apart or c.accept('apart')) and (c.is_done or c.accept('again')):
        only = things[0].words in tuple((t,) for t in TOWERS) and not (
            things[0].ranks or things[0].quantity or things[0].places or len(things) > 1)
        return [c.made(Verb.UNSTACK, () if only else things)]
    c.at = start
    return None


@rule('look', 'observe', 'scan', 'replan', 'plan')
def _look(c: ClauseParser, word: str) -> list[Command] | None:
    words = ' '.join(t.text for t in c.tokens).removesuffix(' first')
    words = words.removesuffix(' again') if 'table' in words or 'scene' in words else words
    c.at = len(c.tokens)
    if words in ('look again', 'look again and replan') or words.startswith(('replan',
                                                                              'plan again')):
        return [c.made(Verb.REPLAN)]
    if words in ('look', 'look around') or words.split(' ', 1)[-1] in (
            'at the scene', 'at the table', 'the scene', 'the table', 'around you'):
        return [c.made(Verb.LOOK)]
    raise c.refuse()


@rule('open', 'release', 'let', 'drop')
def _release(c: ClauseParser, word: str) -> list[Command] | None:
    if word == 'open':
        c.accept('the', 'your')
        if not c.accept(*HAND):
            raise c.refuse('only the gripper can be opened')
        return [c.made(Verb.RELEASE)]
    if word == 'let':
        if not c.accept('go'):
            things = c.phrases()
            if c.peek() == 'go' and not c.peek(1):  # "let it go"
                c.at += 1
                return [c.made(Verb.RELEASE, things)]
            if not c.accept('be', 'alone', 'stay', 'stays'):
                return c.caused(things)
            return [c.made(Verb.LEAVE, things)]
        c.accept('of')
    if c.is_done or (c.peek(1) in HAND and c.peek(2) == ''):  # "release the gripper"
        c.at = len(c.tokens)
        return [c.made(Verb.RELEASE)]
    things = c.phrases()
    if not c.is_done:
        return None
    return [c.made(Verb.RELEASE, things)]


@rule('swap', 'exchange', 'switch')
def _swap(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('over', 'around', 'round')
    start = c.at
    c.accept('the')
    if c.accept('positions', 'places', 'position'):
        c.accept('of')
    else:
        c.at = start
    things = _at_their_places(c, c.phrases())
    if c.accept('with', 'for') or len(things) == 1 and c.joined():
        things = (*things, *_at_their_places(c, c.phrases()))
    c.accept('around', 'over', 'round')
    return [_two(c, things)]


def _at_their_places(c: ClauseParser, things: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...]:
    """ "the ball in the bowl": no place of a swap is a destination."""
    place = c.place() if c.peek() in ('in', 'on') else None
    if place is None:
        return things
    last = replace(things[-1], places=(*things[-1].places, place))
    return (*things[:-1], c.described_further(last))


def _two(c: ClauseParser, things: tuple[NounPhrase, ...]) -> Command:
    if len(things) > 2 or (len(things) == 1 and not things[0].is_several):
        raise c.refuse('name the two things to swap')
    return c.made(Verb.SWAP, things)


@rule('sort', 'order', 'organise', 'arrange', 'line', 'spread')
def _arrange(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('up', 'out')
    things = c.phrases() if c.starts_phrase() else (EVERYTHING,)
    c.accept('up', 'out')
    listed = c.listed(things)
    if listed is not None:
        return [listed]
    if c.peek() in ('in_a_row', 'side_by_side'):
        return [c.in_a_row(things)]
    ends = c.with_row_ends(things) if word == 'line' else None
    if ends is not None:
        return [ends]
    if word == 'line' and c.is_done:
        return [c.made(Verb.LINE_UP, things)]
    key = c.key()
    if key:
        c.accept('in_a_row')
        return [c.made(Verb.SORT, things, key=key)]
    if word == 'line':
        raise c.refuse()
    if word == 'spread':
        raise c.refuse('how? For example "in a row"')
    if word == 'arrange':
        return None
    if any(t.text == ':' for t in c.tokens):  # "sort the cubes: red in the bowl, ..."
        raise c.refuse('say each thing with its name')
    if c.peek() in ('in', 'into', 'on', 'onto'):
        c.at = 1
        return c.placements('put')
    raise c.refuse('sort by what? For example "by colour"')


@rule('tidy', 'clean', 'clear', 'empty')
def _tidy(c: ClauseParser, word: str) -> list[Command] | None:
    particle = c.accept('up', 'from', 'away', 'out')
    if word == 'clean' and not particle:
        raise c.refuse('the arm can put things away, not clean them')
    if c.is_done and word != 'empty':
        return [c.made(Verb.TIDY)]
    if particle in ('up', 'away') and word != 'empty' and c.peek() == 'into':
        return _cleared_into(c, (NounPhrase('', ('table',)),))
    things = c.phrases()
    if word == 'empty' and things[0].words == ('thing',):
        raise Open(f'which ones? "{c.said}" does not say; for example "the bowl and the bin"')
    if all(t.is_several and HOLDERS & set(t.words) for t in things) and c.is_done:
        if word != 'empty':
            raise Open(f'should they be emptied, or put away? "{c.said}" may mean both')
        return [c.made(Verb.EMPTY, things)]
    c.accept('up', 'away')
    if things[0].words in UNTIDY and (len(things) > 1 or not is_bare(things[0])):
        raise c.refuse('say which things to put away')
    if things[0].words in UNTIDY and 'except' in (c.peek(), c.peek(1)):
        things = (EVERYTHING,)
    things = c.limited(things)
    if things[0].words == ('thing',) and things[0].without and c.is_done:
        return [c.made(Verb.TIDY, things)]
    if c.peek() == 'from' and c.peek(1) in ('in', 'into'):
        c.at += 1  # "everything off into the bin"
    if c.peek() == 'from' and c.peek(2) in TABLES and c.peek(3) in ('in', 'into'):
        del c.tokens[c.at:c.at + 3]  # "off the table into the bin"
    if word != 'empty' and c.peek() in ('in', 'into'):
        return _cleared_into(c, things)
    if things[0].words in UNTIDY:
        c.accept('from')
        return [c.made(Verb.TIDY)]
    if c.accept('from', 'onto', 'on', 'into', 'in', 'to'):
        off = c.tokens[c.at - 1].text == 'from'
        place = c.phrase()
        if place.words == ('table',) and not is_bare(place):
            raise c.refuse()
        if off and place.words == ('table',) and (len(things) > 1 or things[0].is_several):
            return [c.made(Verb.TIDY, things)]
        if c.tokens[c.at - 1].text != 'table' and word != 'empty':
            raise c.refuse()
        if things[0].words == ('thing',) and place.words == ('table',):
            return [c.made(Verb.TIDY)]
        if word == 'empty' and place.words != ('table',):
            into = (Place(Relation.IN, (place,), sure=True),)
            return [c.made(Verb.PUT, (replace(EVERYTHING, places=(Place(Relation.IN, (t,)),)),),
                           into) for t in things]
    elif c.peek() == 'away' or any(t.text == 'away' for t in c.tokens) or things[0].is_several:
        return [c.made(Verb.TIDY, things)]
    return [c.made(Verb.EMPTY, things)]


def _cleared_into(c: ClauseParser, things: tuple[NounPhrase, ...]) -> list[Command]:
    """ "clear the table into the bin", "tidy the cubes into the bowl"."""
    if things[0].words in UNTIDY:
        things = (EVERYTHING,)
    elif things[0].words == ('thing',) and things[0].without:
        pass
    elif len(things) == 1 and not things[0].is_several and c.tokens[0].text == 'clear':
        things = (replace(EVERYTHING, places=(Place(Relation.IN, things),)),)  # what it holds
    else:
        c.at = 1
        return c.placements('put')
    place = c.place()
    if place is None:
        raise c.refuse('into what?')
    return [c.made(Verb.PUT, c.limited(things), (replace(place, sure=True),))]


@rule('remove')
def _remove(c: ClauseParser, word: str) -> list[Command] | None:
    things = c.phrases()
    places = c.places()
    if not places or places[-1].relation is Relation.FROM:
        return [c.made(Verb.REMOVE, things, places)]
    raise c.refuse('remove it from what?')


@rule('turn', 'rotate', 'spin')
def _turn(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('around', 'round')
    things = c.phrases()
    return [_turned(c, things)]


def _turned(c: ClauseParser, things: tuple[NounPhrase, ...]) -> Command:
    around = c.accept('around', 'round')
    degrees = _degrees(c, bool(c.accept(*BY)))
    if degrees is None and around and c.is_done:
        degrees = 180.0
    c.accept('around', 'round', *TURNS)
    if c.accept('to'):
        c.accept('the')
    side = c.accept('clockwise', 'counterclockwise', 'left', 'right')
    c.accept(*TURNS)
    if degrees is None:
        degrees = _degrees(c, bool(c.accept(*BY, 'of')))
    if c.peek() in ('upside_down', 'over'):
        raise c.refuse(TIPS_NOTHING)
    if degrees is None:
        raise c.refuse('by how much? For example "by 90 degrees"')
    sign = -1.0 if side in ('clockwise', 'right') else 1.0
    return c.made(Verb.TURN, things, degrees=sign * degrees)


def _degrees(c: ClauseParser, after_by: bool) -> float | None:
    """An angle; after "by" also a number that can be nothing else: "by 90", not "by 2"."""
    if after_by and c.kind() == 'number' and c.tokens[c.at].value[0] >= SMALLEST_DEG:
        return c.value('number')
    return c.value('angle')


@rule('stand')
def _stand(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('up')
    things = c.phrases()
    if not c.accept('up', 'upright') and not c.is_done:  # "stand the can on the plate"
        c.at = 1
        return c.placements('put')
    return [c.made(Verb.STAND, things)]


@rule('hand', 'give', 'pass')
def _give(c: ClauseParser, word: str) -> list[Command] | None:
    c.accept('over')
    things = c.limited(c.phrases())
    ahead = 1 if c.peek() in ('a', 'an', 'one', 'a_bit') else 0
    ahead += c.peek(ahead) in SMALL
    turn = next((i for i in range(ahead, ahead + 3) if c.peek(i) in TURNS), None)
    if turn is not None or c.kind(ahead) == 'angle':  # "give it a 30 degree turn clockwise"
        c.at += ahead
        c.accept(*TURNS)
        c.accept('of')
        return [_turned(c, things)]
    if c.accept('over', 'to_me') or c.is_done:
        c.accept('to_me')
        return [c.made(Verb.GIVE, c.limited(things))]
    raise c.refuse()


@rule('fill')
def _fill(c: ClauseParser, word: str) -> list[Command] | None:
    target = c.phrase()
    if not c.accept('with'):
        raise c.refuse('with what?')
    if any(c.peek(i) in LIQUIDS for i in (0, 1, 2)):
        raise c.refuse('the arm can put things in, not pour')
    things = tuple(replace(t, quantity='all') if t.words in MASS and not t.quantity else t
                   for t in c.phrases())
    return [c.made(Verb.PUT, things, (Place(Relation.IN, (target,), sure=True),))]


@rule('leave', 'keep')
def _leave(c: ClauseParser, word: str) -> list[Command] | None:
    things = c.phrases()
    there = c.peek()
    c.where_it_is()
    places = c.places()
    moved = c.before and c.before[-1].condition is None and c.before[-1].verb not in (
        Verb.LEAVE, Verb.TURN)
    if moved and things[0].pronoun and places:  # "take the can and leave it on the plate"
        if c.before[-1].verb not in (Verb.PICK, Verb.REMOVE) and not all(
                any(_is_same(p, goal) for goal in c.before[-1].places) for p in places):
            raise Open(f'should it be moved, or stay? "{c.said}" names another place')
        return [c.made(Verb.PUT, things, places)]
    if moved and things[0].pronoun and there != 'there':
        raise Open(f'should it be moved, or stay where it is? "{c.said}" may mean both')
    return [c.made(Verb.LEAVE, things, places)]


def _is_same(place: Place, goal: Place) -> bool:
    """Whether a thing that was put at `goal` can stay at `place`: "leave it in there"."""
    same = place.relation is goal.relation or goal.relation is Relation.TO
    return same and all(a.pronoun in ('it', 'there') or a.words == b.words
                        for a, b in zip(place.landmarks, goal.landmarks))


@rule(*DISCARD_VERBS)
def _discard(c: ClauseParser, word: str) -> list[Command] | None:
    things = c.limited(c.phrases())
    if not c.is_done:
        raise c.refuse()
    return [c.made(Verb.PUT, things, (Place(Relation.DISCARDED, sure=True),))]


@rule('undo')
def _undo(c: ClauseParser, word: str) -> list[Command] | None:
    raise c.refuse('what an earlier task did is not known; say where things should go')


@rule('lay')
def _lay(c: ClauseParser, word: str) -> list[Command] | None:
    words = [t.text for t in c.tokens]
    if words[-3:-1] == ['on', 'its'] and words[-1] in ('side', 'back', 'end', 'front', 'head'):
        raise c.refuse('no skill lays a thing on its side')
    return [replace(found, key=LAY) for found in c.placements(word)]


@rule(*TIPPING_VERBS)
def _tip(c: ClauseParser, word: str) -> list[Command] | None:
    raise c.refuse(TIPS_NOTHING)
