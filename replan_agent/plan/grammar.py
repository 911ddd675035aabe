"""The sentences that StubPlanner understands, as clauses. Nothing here knows the scene."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

LONGEST_TASK = 1000  # characters; the patterns below take quadratic time

EXAMPLES = (
    '"pick up the red cube"', '"put the leftmost cube in the bowl"',
    '"stack the red block on the blue block, then go home"', '"place it at (0.4, -0.2)" (m)',
    '"open the gripper"', '"look around"',
)


class Verb(str, Enum):
    PICK = 'pick'
    PLACE = 'place'
    PLACE_AT = 'place_at'
    HOME = 'home'
    RELEASE = 'release'
    LOOK = 'look'
    REPLAN = 'replan'


class Relation(str, Enum):
    """Where the placed object should be; TO means on or in, as it fits the target."""

    IN = 'in'
    ON = 'on'
    STACKED = 'stacked'
    TO = 'to'


@dataclass(frozen=True)
class Clause:
    """One command. An empty `thing` means the object mentioned before, like "it"."""

    verb: Verb
    thing: str = ''
    target: str = ''
    relation: Relation = Relation.ON
    position: tuple[float, float] | None = None


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where, and gives examples."""

    def __init__(self, what: str, why: str = '') -> None:
        what = _POSITION.sub(r'(\1, \2)', what)
        super().__init__(f'did not understand {what!r}{": " + why if why else ""}; '
                         f'examples that work: {", ".join(EXAMPLES)}')


def parse(task: str) -> tuple[Clause, ...]:
    """The commands of `task`, in order. Raises NotUnderstood."""
    if len(task) > LONGEST_TASK:
        raise NotUnderstood(f'{task[:40]}...', f'longer than {LONGEST_TASK} characters')
    text = _AT.sub(r' at @\1:\2 ', task.lower().replace('\u2212', '-'))
    for pattern, plain in _SPELLINGS:
        text = pattern.sub(plain, text)
    pieces = [_tidy(piece) for strong in _STRONG.split(text) for piece in _WEAK.split(strong)]
    clauses = [clause for piece in pieces if piece for clause in _parse_clause(piece)]
    if not clauses:
        raise NotUnderstood(task.strip(), 'it names no action')
    return tuple(clauses)


def _tidy(piece: str) -> str:
    words = ' '.join(piece.strip(' \t\n,.!?').split())
    return _FILLER_BEFORE.sub('', _FILLER_AFTER.sub('', words))


def _parse_clause(text: str) -> list[Clause]:
    for beyond, why in _BEYOND:
        if beyond.search(text):
            raise NotUnderstood(text, why)
    for pattern, build in _RULES:
        match = pattern.fullmatch(text)
        if match:
            return build(match)
    raise NotUnderstood(text)


def _pick(match: re.Match[str]) -> list[Clause]:
    if _LIST.search(match['x']):
        raise NotUnderstood(match[0], 'the gripper holds one object at a time')
    return [Clause(Verb.PICK, match['x'])]


def _place(match: re.Match[str]) -> list[Clause]:
    """Lists too: "A and B in the bowl", and "A in the bowl and B in the bin"."""
    clauses: list[Clause] = []
    waiting: list[str] = []
    for part in _LIST.split(match['what']):
        placed = _PLACED.fullmatch(part)
        waiting.append(placed['x'] or '' if placed else part)
        if placed:
            relation = _RELATIONS[placed['relation']]
            clauses += [Clause(Verb.PLACE, x, placed['y'], relation) for x in waiting]
            waiting = []
    if waiting:
        raise NotUnderstood(match[0], f'where should {" and ".join(waiting)} go?')
    return clauses


def _stack(match: re.Match[str]) -> list[Clause]:
    """From the bottom up: "red on blue on green" puts blue on green first."""
    if _LIST.search(match['what']):
        raise NotUnderstood(match[0], 'say what on what, as in "stack A on B on C"')
    chain = _ON.split(match['what'])
    return [Clause(Verb.PLACE, upper, lower, Relation.STACKED)
            for upper, lower in reversed(list(zip(chain, chain[1:])))]


def _place_at(match: re.Match[str]) -> list[Clause]:
    if _LIST.search(match['x'] or ''):
        raise NotUnderstood(match[0], 'a position is for one object only')
    position = (float(match['px']), float(match['py']))
    return [Clause(Verb.PLACE_AT, match['x'] or '', position=position)]


def _put_down(match: re.Match[str]) -> list[Clause]:
    return [Clause(Verb.PLACE, match['x'] or match['x2'] or '', 'the table')]


def _release(match: re.Match[str]) -> list[Clause]:
    return [Clause(Verb.RELEASE, match['x'] or '')]


def _alone(verb: Verb) -> Callable[[re.Match[str]], list[Clause]]:
    return lambda match: [Clause(verb)]


_NUMBER = r'([+-]?(?:\d+(?:\.\d+)?|\.\d+))'
# "at (0.4, -0.2)", "to x=0.4 y=-0.2", "at 0.4 m, -0.2 m": metres, base frame
_AT = re.compile(r'\b(?:at|to)\s+(?:(?:the\s+)?(?:position|point|location)\s*)?\(?\s*'
                 rf'(?:x\s*[=:]?\s*)?{_NUMBER}\s*m?(?:\s*,\s*|\s+and\s+|\s+)'
                 rf'(?:y\s*[=:]?\s*)?{_NUMBER}(?:\s*m\b)?\s*\)?')
_POSITION = re.compile(r'@([^:\s]+):(\S+)')
_POLITE = (r"\b(?:please|kindly|thank you|thanks|for me|(?:could|can|would|will) you|"
           r"i want you to|i(?: would|'d) like you to)\b")
_SPELLINGS = (
    (re.compile(r'[ \t]+'), ' '),
    (re.compile(_POLITE), ' '),
    (re.compile(r'\bon the (left|right)\b(?: side\b)?(?! of\b)'), r'\1most'),
    (re.compile(r'\b(on|in) to\b'), r'\1to'),
    (re.compile(r'\bon top of\b'), 'on'),
    (re.compile(r'\bdown (?=(?:on|onto|in|into|inside|at)\b)'), ''),
)
_FILLER = r'(?:and|first|next|finally|lastly|also|now|just)\b,?\s*'
_FILLER_BEFORE = re.compile(rf'^(?:{_FILLER})+')
_FILLER_AFTER = re.compile(r'(?:\s+(?:now|and))+$')
_VERBS = (r'(?:pick|lift|grasp|grab|take|get|fetch|hold|put|place|set|move|drop|lay|bring|carry|'
          r'stack|go|return|home|open|release|let go|look|observe|scan|replan|plan again)\b')
_STRONG = re.compile(r';|\n|[.!?](?=\s|$)|,?\s*(?:\band\s+)?\b(?:then|after that|afterwards)\b,?')
_WEAK = re.compile(rf'(?:,|\band\b)\s*(?=(?:{_FILLER})*{_VERBS})')
_LIST = re.compile(r'\s*(?:,\s*and\b|,|\band\b)\s*')
_ON = re.compile(r'\s+(?:onto|on)\s+')
_BEYOND = (
    (re.compile(r"\b(?:not|never|don't|without|except|but|avoid)\b"),
     'say what to do, not what to avoid'),
    (re.compile(r'\b(?:all|every|each|both|everything|any|them)\b'),
     'name the objects one by one'),
    (re.compile(r'\b(?:if|unless|until|while|when|before|after|twice|times)\b'),
     'commands are carried out once, in the order they are given'),
    (re.compile(r'\b(?:next to|beside|behind|near|between|under|below|above|over|front of|'
                r'(?:left|right) of)\b'),
     'places are "in" or "on" an object, or "at (x, y)"'),
)

_RELATIONS = {'in': Relation.IN, 'into': Relation.IN, 'inside': Relation.IN,
              'on': Relation.ON, 'onto': Relation.ON, 'to': Relation.TO}
# Greedy: in "the cube in the bowl on the table" the last relation is the destination.
_PLACED = re.compile(r'(?:(?P<x>.+) )?(?P<relation>onto|on|into|inside|in|to) (?P<y>.+)')
_HAND = r'(?:(?:the|your) )?(?:gripper|hand|fingers)'
_ARM = r'(?:(?:the|your) (?:arm|robot) )?'

# The first pattern that matches a whole clause decides.
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[Clause]]], ...] = (
    (re.compile(r'look again|(?:plan again|replan)(?: the (?:rest|task|remaining steps))?'),
     _alone(Verb.REPLAN)),
    (re.compile(r'look(?: around)?|(?:look at|observe|scan) the (?:scene|table)'),
     _alone(Verb.LOOK)),
    (re.compile(rf'(?:(?:go|return|move|bring|take) {_ARM}(?:back )?(?:to )?)?'
                r'(?:the |its |your )?home(?: (?:position|pose|the arm))?'), _alone(Verb.HOME)),
    (re.compile(r'(?:put|place|set|move|drop|lay|bring|carry|take)(?: down)?(?: (?P<x>.+?))?'
                r' at @(?P<px>[^:\s]+):(?P<py>\S+)'), _place_at),
    (re.compile(r'stack (?P<what>.+ (?:onto|on) .+)'), _stack),
    (re.compile(r'(?:put|place|set|move|drop|lay)(?: down)? '
                r'(?P<what>(?:.+ )?(?:onto|on|into|inside|in|to) .+)'), _place),
    (re.compile(r'(?:take|bring|carry) (?P<what>.+ (?:onto|into|to) .+)'), _place),
    (re.compile(r'(?:put|set|lay|place) (?:down(?: (?P<x>.+))?|(?P<x2>.+) down)'), _put_down),
    (re.compile(rf'open {_HAND}|(?:release|let go(?: of)?|drop)(?: (?P<x>.+))?'), _release),
    (re.compile(r'(?:pick|lift|grasp|grab|take|get|fetch|hold)(?: up)? (?P<x>(?!up$).+?)(?: up)?'),
     _pick),
)
