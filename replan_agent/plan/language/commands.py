"""Reads the commands of one clause. What the rarer verbs mean is in `verb_rules`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .clauses import split
from .cursor import text_of
from .joined_nouns import counted
from .noun_parser import NounParser
from .particles import away
from .phrases import Command, NounPhrase, Place, Relation, Verb
from .refusals import NotUnderstood, Open
from .tokens import Token
from .words import FETCH_VERBS, PICK_VERBS, PULL_VERBS, PUT_VERBS, RELATIONS, SLIDE_VERBS, VERBS

HAND = ('gripper', 'hand', 'fingers', 'grip')
TABLE = NounPhrase('the table', ('table',))
EVERYTHING = NounPhrase('everything', ('thing',), 'all')
BACK_VERBS = ('put', 'return', 'place', 'set', 'lay', 'bring', 'take', 'carry', 'get')
KEYS = {'colour': 'colour', 'size': 'size', 'height': 'height', 'shape': 'shape',
        'kind': 'shape', 'type': 'shape'}


class ClauseParser(NounParser):
    """Reads one clause. `before` are the commands read so far."""

    def __init__(self, tokens: list[Token], before: list[Command], opens: bool) -> None:
        super().__init__(tokens)
        self.before = before
        self.opens = opens

    def commands(self) -> list[Command]:
        if self.accept('if'):
            return self._conditional()
        cut = next((i for i, t in enumerate(self.tokens) if t.text in ('if', 'until')), None)
        if cut:
            return self._with_ending(cut)
        found = self._command()
        self.accept('too', 'there', 'alone')
        if self.peek() == 'or':
            raise Open(f'which one? "{self.text}" leaves a choice: say one')
        if not self.is_done:
            raise self.refuse()
        return found

    # Conditions

    def _conditional(self) -> list[Command]:
        negative, condition = self._condition()
        rest = self.tokens[self.at:]
        cut = next((i for i, t in enumerate(rest) if t.text in ('otherwise', 'else')), len(rest))
        found: list[Command] = []
        for part, unless in ((rest[:cut], negative), (rest[cut + 1:], not negative)):
            for clause in split(part) if part else []:
                inner = ClauseParser(clause.tokens, found, True).commands()
                found += [replace(c, condition=condition, unless=unless,
                                  has_other=cut < len(rest)) for c in inner]
        if not found:
            raise self.refuse('what should be done then?')
        return found

    def _condition(self) -> tuple[bool, NounPhrase]:
        if not self.accept('exists'):
            raise self.refuse('a condition is "if there is a ..."')
        negative = bool(self.accept('no', 'not'))
        condition = self.phrase()
        place = self.place() if self.peek() in RELATIONS else None
        if place is not None:
            condition = replace(condition, places=(place,))
        self.joined()
        if self.peek() == '.':
            self.at += 1
        return negative, condition

    def _with_ending(self, cut: int) -> list[Command]:
        """A command that ends with "if there is one" or "until ..."."""
        head, tail = self.tokens[:cut], ClauseParser(self.tokens[cut + 1:], [], False)
        found = ClauseParser(head, self.before, self.opens).commands()
        if self.tokens[cut].text == 'until':
            return [tail.until(command) for command in found]
        if not tail.accept('exists'):
            raise self.refuse('a condition is "if there is a ..."')
        negative = bool(tail.accept('no'))
        if tail.peek() in ('one', 'any', 'some') or tail.is_done:
            condition = found[0].things[0]
        else:
            condition = tail.phrase()
        return [replace(c, condition=condition, unless=negative) for c in found]

    def until(self, command: Command) -> Command:
        """The command with the end that this clause says."""
        if command.verb is not Verb.PUT or len(command.things) != 1:
            raise self.refuse('"until" is for putting things somewhere')
        if self.accept('exists') and self.kind() == 'number':
            count = self.value('number')
            words = [t.text for t in self.tokens[self.at:]]
            if words and set(words) & {'in', 'on'}:
                return replace(command, until_count=int(count or 0))
        words = [t.text for t in self.tokens]
        if words[:1] in (['no'], ['none'], ['nothing'], ['all']) or 'no' in words[:2]:
            if {'left', 'in', 'remains', 'remain', 'there'} & set(words):
                every = replace(command.things[0], quantity='all')
                return replace(command, things=(every,))
        raise self.refuse('"until" is "until there are two in it" or "until none is left"')

    # Commands

    def _command(self) -> list[Command]:
        while self.accept('and', 'first', 'too'):
            pass
        if self.accept('i_want', 'ensure'):
            return self._statement()
        if self.accept('keep'):
            if self.peek() not in PUT_VERBS:
                raise self.refuse()
        word = self.peek()
        if self.kind() != 'word' or word not in VERBS:
            return self.placements(word='')
        self.at += 1
        special = _RULES.get(word)
        if special is not None:
            start = self.at
            found = special(self, word)
            if found is not None:
                return found
            self.at = start
        if word in SLIDE_VERBS or word in PULL_VERBS:
            return self._slide(word)
        if word in PICK_VERBS and word not in PUT_VERBS:
            return self._pick()
        if word in PUT_VERBS:
            return self.placements(word)
        raise self.refuse()

    def _statement(self) -> list[Command]:
        """ "the bowl is empty", "the red cube is in the bowl", "the bar in the bin"."""
        things = self.phrases()
        if self.accept('is', 'are', 'goes'):
            if self.accept('empty', 'clear', 'free'):
                return [self.made(Verb.EMPTY, things)]
        elif self.peek(1) in ('be', 'go') and self.accept('to'):
            self.at += 1
        return self._groups(things, '')

    def made(self, verb: Verb, things: tuple[NounPhrase, ...] = (), places: tuple[Place, ...] = (),
              **more: object) -> Command:
        return Command(verb, self.text, things, places, **more)  # type: ignore[arg-type]

    def _pick(self) -> list[Command]:
        self.accept('up')
        things = self.phrases()
        places = self.places()
        self.accept('up')
        if len(things) > 1 or things[0].is_several:
            return [self.made(Verb.PICK, things)]
        things = (replace(things[0], places=(*things[0].places, *places)),)
        return [self.made(Verb.PICK, things)]

    def placements(self, word: str) -> list[Command]:
        """Things and where they go; "A and B in the bowl and C in the bin"."""
        place = away(self, word)
        if place is None and word and self.accept('down', 'back'):
            how = {'down': Relation.DOWN, 'back': Relation.BACK}
            place = Place(how[self.tokens[self.at - 1].text], sure=True)
        if place is not None:
            if self.is_done:
                return [self.made(Verb.PUT, (NounPhrase('it', pronoun='it'),), (place,))]
            if self.starts_phrase():
                things = self.phrases()
                return (self._groups(things, word) if not self.is_done and self.place_starts()
                        else [self.made(Verb.PUT, things, (place,))])
        if self.place_starts() and word:
            return self._groups((NounPhrase('it', pronoun='it'),), word)
        return self._groups(self.phrases(), word)

    def place_starts(self) -> bool:
        start = self.at
        try:
            return self.place() is not None
        except (NotUnderstood, ValueError):
            return True
        finally:
            self.at = start

    def _groups(self, things: tuple[NounPhrase, ...], word: str) -> list[Command]:
        found: list[Command] = []
        while True:
            self.accept('goes', 'go')
            places = self.places(word)
            while self.accept('too'):
                pass
            text = text_of(self.tokens[:self.at])
            if not places and self.peek() != 'in_a_row':
                places = self._same_place(things, found, word)
            found.append(self._placed(things, places, word, text))
            if not self.joined() or not self.starts_phrase():
                return found
            things = tuple(counted(t, found[-1].things[-1]) for t in self.phrases())

    def _same_place(self, things: tuple[NounPhrase, ...], found: list[Command], word: str
                    ) -> tuple[Place, ...]:
        """The place of the command before: "then the blue one", "the blue one too"."""
        too = any(t.text == 'too' for t in self.tokens)
        last = next((c for c in reversed([*self.before, *found]) if c.verb is Verb.PUT), None)
        if last is not None and ((too and found) or (not word and self.opens and not found)
                                 or (too and not word)):
            return last.places
        if word in PICK_VERBS and not found:
            return ()
        names = ' and '.join(t.text for t in things)
        if not word and not found:
            raise self.refuse()
        raise Open(f'where should {names} go? "{self.text}" does not say; for example "in the '
                   'bowl", "next to the bin", "10 cm to the left"')

    def _placed(self, things: tuple[NounPhrase, ...], places: tuple[Place, ...], word: str,
                text: str) -> Command:
        """A placement; without a destination, what the verb means then."""
        if self.accept('in_a_row'):
            return Command(Verb.LINE_UP, text, things)
        if not places:
            return Command(Verb.PICK, text, things)
        if word in FETCH_VERBS:
            if places[-1].relation is Relation.FROM:
                return Command(Verb.REMOVE, text, things, places)
            if not any(p.sure or p.relation not in (Relation.IN, Relation.ON, Relation.FROM)
                       for p in places):
                thing = replace(things[-1], places=(*things[-1].places, *places))
                return Command(Verb.PICK, text, (*things[:-1], thing))
        if any(p.relation is Relation.TO_PERSON for p in places):
            return Command(Verb.GIVE, text, things)
        return Command(Verb.PUT, text, things, places)

    def places(self, word: str = '') -> tuple[Place, ...]:
        found: list[Place] = []
        while True:
            back = self.peek() == 'back' and word in BACK_VERBS
            if back and self.kind(1) != 'length' and self.peek(1) not in ('by', 'a_bit'):
                self.at += 1
                self._where_it_was()
                if not self.place_starts():
                    found.append(Place(Relation.BACK, sure=True))
                continue
            apart = away(self, word)
            if apart is not None:
                found += [] if not self.is_done and self.place_starts() else [apart]
                continue
            if word and self.peek() == 'down' and self.peek(1) in (*RELATIONS, 'at'):
                self.at += 1
            place = self.place() if self._may_start_place() else None
            if place is None:
                return tuple(found)
            found.append(place)

    def _may_start_place(self) -> bool:
        return not self.is_done and self.peek() not in ('and', 'or', 'too', 'if', 'until')

    def _where_it_was(self) -> None:
        if self.peek() == 'to' and self.peek(1) == 'where':
            self.at += 1
        if self.accept('where'):
            if not (self.accept('it', 'they') and self.accept('was', 'were', 'stood', 'came',
                                                              'belongs')):
                raise self.refuse()
            self.accept('before', 'from')

    def _slide(self, word: str) -> list[Command]:
        things = self.phrases()
        places = self.places()
        verb = Verb.PULL if word in PULL_VERBS else Verb.SLIDE
        sure = [p for p in places if p.sure or p.relation is Relation.ASIDE]
        described = tuple(p for p in places if p not in sure)
        if len(sure) > 1 or len(things) != 1:
            raise self.refuse('one thing in one direction at a time')
        thing = replace(things[0], places=(*things[0].places, *described))
        return [self.made(verb, (thing,), tuple(sure))]


Rule = Callable[[ClauseParser, str], 'list[Command] | None']
_RULES: dict[str, Rule] = {}


def rule(*words: str) -> Callable[[Rule], Rule]:
    """Registers what a verb means. It returns None if the clause is something else."""
    def register(function: Rule) -> Rule:
        for word in words:
            _RULES[word] = function
        return function
    return register
