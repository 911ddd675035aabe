"""Reads the commands of one clause. What the rarer verbs mean is in `verb_rules`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from replan_agent.domain.refusals import Open

from .clauses import split
from .conditions import condition, until
from .destinations import PutParser
from .phrases import Command, NounPhrase, Place, Relation, Verb, two_places
from .tokens import Token
from .words import (
    COLOURS,
    DISCARD_VERBS,
    ENDS,
    FETCH_VERBS,
    LYING,
    NOUN_LIKE,
    PARTICIPLES,
    PICK_VERBS,
    PULL_VERBS,
    PUT_VERBS,
    RELATIONS,
    SLIDE_VERBS,
    STARTS_OBJECT,
    SWAPS,
    TO_ME_VERBS,
    TOWERS,
    VERBS,
)

HAND = ('gripper', 'hand', 'fingers', 'grip')
TABLE = NounPhrase('the table', ('table',))
EVERYTHING = NounPhrase('everything', ('thing',), 'all')
ASIDES = ('only', 'only_there', 'left_to_right', 'right_to_left', 'instead')  # anywhere
WISHED = ('be', 'go', 'goes', 'sit', 'stand', 'lie', 'land', 'come')  # "I want it to be ..."

STANDING = ('standing', 'placed', 'positioned')  # after a wish: where it should be


class ClauseParser(PutParser):
    """Reads one clause. `before` are the commands read so far."""

    def __init__(self, tokens: list[Token], before: list[Command], opens: bool) -> None:
        said = {t.text for t in tokens}
        super().__init__([t for t in _active(tokens) if t.text not in ASIDES])
        self.only = 'only' in said
        self.only_there = 'only_there' in said
        self.reversed = 'right_to_left' in said
        self.in_a_direction = self.reversed or 'left_to_right' in said
        self.before = before
        self.opens = opens
        if 'instead' in said and not before:
            raise self.refuse('instead of what?')

    def commands(self) -> list[Command]:
        if self.peek() in ('if', 'unless'):
            self._check_asides()
            return self._conditional()
        cut = next((i for i, t in enumerate(self.tokens) if t.text in ('if', 'until', 'unless')),
                   None)
        if cut:
            self._check_asides()
            return self._with_ending(cut)
        found = self._command()
        self._trailing_words(found)
        if self.peek() == 'or':
            raise Open(f'which one? "{self.said}" leaves a choice: say one')
        if self.peek() in VERBS and self.peek(1) in STARTS_OBJECT:  # without a comma or "and"
            self._check_asides()
            rest = ClauseParser(self.tokens[self.at:], [*self.before, *found], True)
            return [*found, *rest.commands()]
        if self.peek() in RELATIONS and self.tokens[self.at - 1].text == 'and' and (
                found[-1].verb is Verb.PUT):
            raise two_places(self.said)  # "in the bowl and in the bin"
        if not self.is_done:
            raise self.refuse()
        if self.only_there and len(found) > 1:
            self._check_asides()
        states = self.tokens[0].text not in VERBS  # not "only put ..."
        rows = (Verb.SORT, Verb.LINE_UP)
        if self.in_a_direction and any(c.verb not in rows for c in found):
            raise self.refuse('only rows run from left to right or from right to left')
        return [replace(c, contrast=c.contrast or self.contrast, states=states,
                        may_lack=self.may_lack, reversed=self.reversed,
                        only=self.only and states or self.only_there)
                for c in found]

    def _trailing_words(self, found: list[Command]) -> None:
        """Goes over "too", "there" and "again", if they say no more than the command does."""
        self.check_turn(self.before, self.accept('first', 'last'))
        while word := self.accept('too', 'there', 'again'):
            if word == 'again' and not self.before:
                raise self.refuse('what was done before is not known: leave out "again"')
            if word == 'there' and not any(p.landmarks for c in found for p in c.places):
                raise self.refuse('where is "there"? Name a place')

    def _check_asides(self) -> None:
        """Asides belong to one command. Where there are conditions or several, say them apart."""
        if self.reversed or self.only_there:
            aside = 'from right to left' if self.reversed else 'and nothing else'
            raise self.refuse(f'say "{aside}" in a sentence of its own')

    # Conditions

    def _conditional(self) -> list[Command]:
        opposite = self.accept('if', 'unless') == 'unless'
        negative, needed = condition(self)
        negative = negative is not opposite
        rest = self.tokens[self.at:]
        cut = next((i for i, t in enumerate(rest) if t.text in ('otherwise', 'else')
                    and rest[i - 1].text != 'everything'), len(rest))
        if cut == len(rest) - 1:
            raise self.refuse('what should be done otherwise?')
        found: list[Command] = []
        for part, unless in ((rest[:cut], negative), (rest[cut + 1:], not negative)):
            for clause in split(part) if part else []:
                inner = ClauseParser(clause.tokens, found, True).commands()
                found += [replace(c, condition=needed, unless=unless,
                                  has_other=cut < len(rest)) for c in inner]
        if not found:
            raise self.refuse('what should be done then?')
        return found

    def _with_ending(self, cut: int) -> list[Command]:
        """A command that ends with "if there is one" or "until ..."."""
        head, tail = self.tokens[:cut], ClauseParser(self.tokens[cut + 1:], [], False)
        found = ClauseParser(head, self.before, self.opens).commands()
        word = self.tokens[cut].text
        if word == 'until':
            return [until(tail, command) for command in found]
        if tail.peek() == 'exists' and (tail.peek(1) in ('one', 'any', 'some', '')
                                        and not tail.peek(2)):
            negative, needed = False, found[0].things[0]
        else:
            target = next((p.landmarks[0] for c in found[-1:] for p in c.places[-1:]
                           if p.landmarks and p.relation in (Relation.IN, Relation.ON)), None)
            negative, needed = condition(tail, target)
            if not tail.is_done:
                raise tail.refuse()
        unless = negative is not (word == 'unless')
        return [replace(c, condition=needed, unless=unless) for c in found]

    # Commands

    def _command(self) -> list[Command]:
        while self.accept('and', 'first', 'too') or (
                self.peek() == 'either' and self.peek(1) in VERBS and self.accept('either')):
            pass
        wish = self.accept('i_want', 'ensure')
        self._skip_you()
        self.may_lack = wish == 'ensure' and self.peek() not in VERBS
        if wish and self.peek() == 'a' and self.peek(1) in (*TOWERS, 'group'):
            return _RULES['build'](self, 'build') or []  # "I want a tower of ..."
        if wish and self.peek() not in VERBS:
            return self._statement(wish)
        fronted = self._fronted() if self.peek() in ('in', 'into', 'on', 'onto') else None
        if fronted is not None:
            return [fronted]
        moves_on = self.to_next_place()
        if moves_on is not None:
            return [moves_on]
        if self.peek() == 'keep' and self.peek(1) in PUT_VERBS:
            self.at += 1  # "keep putting"
        word = self.peek()
        starts_object = self.peek(1) in STARTS_OBJECT or self.kind(1) == 'number'
        if self.kind() != 'word' or word not in VERBS or (
                word in DISCARD_VERBS and not starts_object):
            self._check_verb(starts_object)
            return self.placements(word='')
        self.at += 1
        if word in PUT_VERBS and self.tokens[-1].text == 'upright':
            self.tokens.pop()
            return [self.made(Verb.STAND, self.phrases())]
        if word in PUT_VERBS and self.tokens[-1].text == 'stacked':  # "get the cubes stacked"
            self.tokens.pop()
            return [self.made(Verb.STACK, self.phrases())]
        if word in TO_ME_VERBS and self.accept('me', 'us'):
            return [self.made(Verb.GIVE, self._with_places(self.limited(self.phrases())))]
        special = _RULES.get(word)
        if special is not None:
            start = self.at
            found = special(self, word)
            if found is not None:
                return found
            self.at = start
        into = any(t.text in ('in', 'into') for t in self.tokens[self.at:])
        if (word in SLIDE_VERBS or word in PULL_VERBS) and not (word == 'shove' and into):
            return self._slide(word)
        if word in PICK_VERBS and word not in PUT_VERBS:
            return self._pick()
        if word in PUT_VERBS or word == 'shove':
            return self.placements(word)
        raise self.refuse()

    def _skip_you(self) -> None:
        """Goes over "you", "that you", "to" and "you to" before a verb: "I like that you put"."""
        start = self.at
        self.accept('that')
        self.accept('you')
        self.accept('to')
        if self.peek() not in VERBS or self.peek() in NOUN_LIKE:
            self.at = start

    def _check_verb(self, starts_object: bool) -> None:
        """Raises NotUnderstood if the clause begins with a verb that nothing here knows."""
        word = self.peek()
        is_unknown = (self.kind() == 'word' and word not in STARTS_OBJECT
                      and word not in ENDS and word not in COLOURS)
        if word in ('can', 'could', 'may', 'might') and starts_object:
            raise self.refuse('this is a question; say "put ...", or add "please"')
        if is_unknown and starts_object and word not in DISCARD_VERBS:
            raise self.refuse(f'{word!r} is no verb that the arm knows')

    def _statement(self, wish: str = '') -> list[Command]:
        """ "the bowl is empty", "the red cube is in the bowl", "the bar in the bin"."""
        self.accept('exists')
        start = self.at
        things = self.phrases()
        joints = [t.text for t in self.tokens[start:self.at] if t.text in (',', 'and')]
        things = self.limited(things)
        if wish == 'i_want' and self.is_done:
            if any(t.quantity == 'no' for t in things):
                raise self.refuse('say what to do, not what to avoid')
            return [self.made(Verb.GIVE, things)]
        split_up = ',' in joints and len(things) == 2 or joints[-1:] == [','] and 'and' in joints
        if wish == 'i_want' and split_up:  # "I want the red cube and the can, the bar in the bin"
            raise Open(f'all there, or only {things[-1].text}? "{self.said}" may mean both')
        if self.peek() in SWAPS:
            return [self.traded(things)]
        if self.accept('has', 'have', 'holds', 'hold', 'contains'):
            self.check_one_holder(things)
            held = self.phrases()
            if self.accept('in'):
                self.accept('it', 'there')
            return [self.made(Verb.PUT, held, (Place(Relation.IN, things, sure=True),))]
        if self.accept('is', 'are', 'was', 'were', 'goes') or self.peek() == 'empty':
            if self.accept('empty', 'clear', 'free'):
                return [self.made(Verb.EMPTY, things)]
        elif self.peek(1) in WISHED and self.accept('to'):
            self.at += 1
            self.accept('put', 'placed', 'moved', 'standing')
        return self.groups(things, '')

    def _fronted(self) -> Command | None:
        """ "in the bowl goes the can", "into the bin with the cubes"; else None."""
        start = self.at
        place = self.place()
        verb = self.accept('goes', 'go', 'with', *(PUT_VERBS - FETCH_VERBS)) if place else ''
        if not place or not verb or not place.landmarks or not self.starts_phrase():
            self.at = start
            return None
        return self.made(Verb.PUT, self.limited(self.phrases()), (replace(place, sure=True),))

    def _pick(self) -> list[Command]:
        self.accept('up')
        things = self.phrases()
        places = self.places()
        self.accept('up')
        things = self.limited(things)
        if things[0].quantity == 'exactly' and things[0].count == 1 and not things[0].plural:
            things = (replace(things[0], quantity='some', count=None), *things[1:])
        if len(things) > 1 or things[0].is_several:
            return [self.made(Verb.PICK, things)]
        things = (replace(things[0], places=(*things[0].places, *places)),)
        return [self.made(Verb.PICK, things)]

    def _with_places(self, things: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...]:
        """ "give me the egg from the bowl": the place says which one."""
        if len(things) > 1 or self.peek() not in ('in', 'on', 'from'):
            return things
        return (replace(things[0], places=(*things[0].places, *self.places())),)

    def _slide(self, word: str) -> list[Command]:
        things = self.phrases()
        places = self.places(word)
        verb = Verb.PULL if word in PULL_VERBS else Verb.SLIDE
        sure = [p for p in places if p.sure or p.relation is Relation.ASIDE]
        described = tuple(p for p in places if p not in sure)
        if [p.relation for p in sure] == [Relation.TO_PERSON]:  # they sit opposite the arm
            verb, sure = Verb.SLIDE, [Place(Relation.ASIDE, direction='away', sure=True)]
        if [p.relation for p in sure] == [Relation.APART_FROM]:  # no push has that direction
            return [self.made(Verb.PUT, things, (*described, *sure))]
        if len(sure) > 1 or len(things) != 1:
            raise self.refuse('one thing in one direction at a time')
        thing = replace(things[0], places=(*things[0].places, *described))
        return [self.made(verb, (thing,), tuple(sure))]


def _active(tokens: list[Token]) -> list[Token]:
    """ "I want the bar turned by 90 degrees", "the can should be thrown away" as commands."""
    words = [t.text for t in tokens]
    needs = next((i for i, w in enumerate(words[:-1]) if i and w in ('needs', 'need')
                  and words[i + 1] in VERBS and words[0] not in VERBS), None)
    if needs is not None:  # "the bowl needs emptying"
        return [tokens[needs + 1], *tokens[:needs], *tokens[needs + 2:]]
    stands = next((i for i, w in enumerate(words[:-1]) if i > 1 and w in WISHED
                   and words[0] == 'i_want' and words[i + 1] in (
                       *RELATIONS, 'side_by_side', 'in_a_row')), None)
    if stands is not None and words[stands - 1] != 'to':  # "have the can stand next to ..."
        return [*tokens[:stands], *tokens[stands + 1:]]
    wishes = words[:1] == ['i_want']
    causes = wishes and (tokens[0].said or '').startswith(('have', 'let '))
    stands = next((i for i, w in enumerate(words[:-1]) if wishes and i > 1 and w in LYING and (
        (w in STANDING or causes) and words[i + 1] in RELATIONS or tokens[i + 1].kind == 'length'
        or words[i + 1] in ('side_by_side', 'in_a_row'))), None)
    if stands is not None:  # "I want the can standing 5 cm to the left of ..."
        return [*tokens[:stands], *tokens[stands + 1:]]
    at = next((i for i, w in enumerate(words) if w in PARTICIPLES and i > 1), None)
    if at is None or words[0] in VERBS - {'get'} or set(words[:at]) & {'if', 'unless', 'that'}:
        return tokens
    if words[0] == 'get' and words[1:at] in (['the', noun] for noun in ('cube', 'one', 'block')):
        return tokens  # "get the cube stacked on the blue one": it says which
    start = 1 if words[0] in ('i_want', 'ensure', 'get') else 0
    end = at - 1 if words[at - 1] in ('goes', 'is', 'are', 'be') else at
    if words[end - 1] == 'to':
        end -= 1
    if not start and (end == at or words[at - 1] != 'goes'):  # "the cube stacked on the can"
        return tokens
    return [Token(PARTICIPLES[words[at]], said=tokens[at].said), *tokens[start:end],
            *tokens[at + 1:]]


Rule = Callable[[ClauseParser, str], 'list[Command] | None']
_RULES: dict[str, Rule] = {}


def rule(*words: str) -> Callable[[Rule], Rule]:
    """Registers what a verb means. It returns None if the clause is something else."""
    def register(function: Rule) -> Rule:
        for word in words:
            _RULES[word] = function
        return function
    return register
