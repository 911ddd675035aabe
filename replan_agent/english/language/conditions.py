"""Reads "if there is a ...", "if the bowl is empty", "unless ...", "until ..."."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.refusals import Open

from ..nouns import singular
from .noun_parser import NounParser
from .phrases import Command, NounPhrase, Place, Relation, Verb
from .words import RELATIONS, VERBS

# What an "until" may say beside what the command names.
UNTIL = frozenset('no none nothing all of the them it there thing one is are exists left remain '
                  'remains stay stays more any in on inside table over'.split())
# These count what is not there yet: "until there is one left".
LEFT_OVER = frozenset({'left', 'remain', 'remains', 'over', 'stay', 'stays', 'table'})
ANY_THING = NounPhrase('', ('thing',), 'all')


def condition(c: NounParser, target: NounPhrase | None = None) -> tuple[bool, NounPhrase]:
    """Whether the condition is negative, and what must be seen; the cursor is behind it.

    `target` is where the command before puts things: "unless something is in it".
    """
    asks = bool(c.accept('is', 'are'))  # "is the key in the tray? If so, ..."
    if c.accept('there' if asks else 'exists'):
        negative = bool(c.accept('no', 'not'))
        is_any = c.accept('anything') and c.peek() in RELATIONS
        found = _at_its_place(c, ANY_THING if is_any else c.phrase())
    else:
        negative, found = _state(c, target, asks)
    if target is not None:
        found = replace(found, places=tuple(
            replace(p, landmarks=(target,)) if p.landmarks and p.landmarks[0].pronoun in (
                'it', 'there') else p for p in found.places))
    if 'than' in found.words:
        raise c.refuse('a condition says what is there, and compares nothing')
    also = c.peek() == 'and'
    c.joined()
    if also and c.peek() not in VERBS:  # "and the can in the bin" may be a part of it
        raise c.refuse('say one condition, or one after the other: "if A, ..., and if B, ..."')
    if c.peek() == '.':
        c.at += 1
    return negative, found


def _at_its_place(c: NounParser, phrase: NounPhrase) -> NounPhrase:
    place = c.place() if c.peek() in RELATIONS else None
    return replace(phrase, places=(*phrase.places, place)) if place is not None else phrase


def _state(c: NounParser, target: NounPhrase | None, asks: bool) -> tuple[bool, NounPhrase]:
    """ "the bowl is empty", "the red cube is not in the bowl", "it is empty".

    `asks`: its "is" was said first.
    """
    subject = c.phrase() if c.starts_phrase() else None
    if asks and subject is not None and subject.words[-1:] in (('empty',), ('free',)):
        subject, c.at = replace(subject, words=subject.words[:-1]), c.at - 1
    if subject is not None and subject.pronoun == 'it' and c.peek(1) in ('empty', 'not'):
        is_empty = 'empty' in (c.peek(1), c.peek(2))
        subject = target if is_empty and target is not None else subject
    if subject is not None and subject.quantity == 'no':  # "nothing is in the bowl"
        negative, found = _state_of(c, replace(subject, quantity='', definite=False), asks)
        return not negative, found
    return _state_of(c, subject, asks)


def _state_of(c: NounParser, subject: NounPhrase | None, asks: bool) -> tuple[bool, NounPhrase]:
    if subject is not None and not subject.pronoun and not asks:
        held = _contents(c, subject)
        if held is not None:
            return held
    if subject is None or subject.pronoun or not (asks or c.accept('is', 'are')):
        raise c.refuse('a condition is "if there is a ...", or "if the ... is in the ..."')
    negative = bool(c.accept('not'))
    c.accept('already', 'still')
    if c.accept('empty', 'free', 'clear'):
        if subject.is_several or subject.quantity:
            raise Open(f'which one? "{c.said}" does not say')
        return not negative, replace(ANY_THING, places=(Place(Relation.IN, (subject,)),))
    if c.accept('full', 'occupied'):
        raise c.refuse('a condition is "if there is a ...", or "if the ... is in the ..."')
    if c.peek() not in RELATIONS:
        raise c.refuse('a condition is "if there is a ...", or "if the ... is in the ..."')
    return negative, _at_its_place(c, subject)


def _contents(c: NounParser, subject: NounPhrase) -> tuple[bool, NounPhrase] | None:
    """ "the bin has something in it", "the bowl contains no cubes"; else None."""
    start = c.at
    negative = bool(c.accept('does', 'do') and c.accept('not'))
    if not c.accept('has', 'have', 'contains', 'holds', 'hold'):
        c.at = start
        return None
    without = bool(c.accept('no'))
    is_any = negative and c.accept('anything', 'any', 'a')
    inside = ANY_THING if is_any == 'anything' else c.phrase()
    c.accept('in', 'inside', 'on')
    c.accept('it', 'them', 'there')
    if inside.words == ('thing',):  # "it" is the bin then
        inside = replace(ANY_THING)
    return negative is not without, replace(
        inside, places=(*inside.places, Place(Relation.IN, (subject,))))


def until(c: NounParser, command: Command) -> Command:
    """The command with the end that the clause says."""
    if command.verb is not Verb.PUT or len(command.things) != 1:
        raise c.refuse('"until" is for putting things somewhere')
    words = [t.text for t in c.tokens]
    named = {word for phrase in (*command.things, *(n for p in command.places
                                                    for n in p.landmarks))
             for word in (*phrase.words, *phrase.text.split())}
    if words[:2] in (['it', 'holds'], ['it', 'contains'], ['it', 'has'], ['there', 'are']):
        c.at = 2
    if (c.at or c.accept('exists')) and c.kind() == 'number':
        count = c.value('number')
        more = {singular(w)[0] for w in words[c.at:]}
        if not more - named - UNTIL and not more & LEFT_OVER:
            return replace(command, until_count=int(count or 0))
    if words[:1] in (['no'], ['none'], ['nothing'], ['all']) or 'no' in words[:2]:
        more = {singular(w)[0] for w in words} - named - UNTIL
        if not more and {'left', 'in', 'remains', 'remain', 'there', 'stays'} & set(words):
            every = replace(command.things[0], quantity='all')
            return replace(command, things=(every,))
    raise c.refuse('"until" is "until there are two in it" or "until none is left"')
