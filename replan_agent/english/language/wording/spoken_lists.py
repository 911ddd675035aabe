"""Things that are listed: "use A for B", "red cube blue cube in the bowl", "red on blue"."""

from __future__ import annotations

import re

from ...dictionary import KINDS
from ...nouns import FRUIT, HAS_OTHER_NAMES, VEGETABLES, singular
from ..words import COLOURS
from .asides import VERB
from .constructions import COLOUR, COUNT, COUNTS, END, NAMED, PUT_VERB, START, THE_HOLDER, TO
from .counted_words import rewritten
from .wish_frames import HOLDER, NP

_AMONG = re.compile(rf'((?:^|[.;!?,]\s*|\bthen |\band ))(?:(?:out )?of|among|amongst) (?:the|'
                    rf'these|those|my) '
                    rf'(?:{COUNT} )?((?:[\w-]+ )?[a-z]+s),? ((?:only |just )?(?:{VERB} (?:up )?)?)'
                    r'(the (?:[\w-]+ )?)one\b')
_OF_BOTH = re.compile(rf'{START}(?:out )?of ({NAMED}) and ({NAMED}),? (?:only|just) ({NAMED}) '
                      rf'((?:goes|should|must|belongs|has to|needs to)\b[^,.;!?]*){END}')
_ITS = rf'(?:{THE_HOLDER}|the \w+ one)'
_FOR = rf'(?:{NP}|[a-z]+s)'
_USED = re.compile(rf'(?:\buse |^(?=the [\w ]+ is for (?:the|my|all|both) [^.;!?]*(?:and|,) the '
                   rf'[\w ]+ for ))'
                   rf'({THE_HOLDER} (?:is )?for {_FOR}(?:(?:,? and |, ){_ITS} (?:is )?for '
                   rf'{_FOR})*)(?=$|[.;!?])')
_USE = re.compile(rf'({_ITS}) (?:is )?for ({_FOR})(?:,? and |, |$)(?={_ITS} (?:is )?for |$)')
_THINGS_FOR = re.compile(rf'{START}(?:({COUNT}|one|the following|these|some|several) )?(?:(?:'
                         rf'things?|items?|objects?|pieces?) (?:go(?:es)? )?)?(?:for|into|in) '
                         rf'(the (?:\w+ )?{HOLDER})\s*:\s*([^.;:!?]+)')
_ON_COLOURS = re.compile(rf'(^|[.;!?]\s*)(?:(?:i|we) (?:want|would like|need) |(?:put|place'
                         rf'|set) )?(?:the )?({COLOUR}(?: on(?: top of)?(?: the)? {COLOUR})+)'
                         rf'{END}')
_NOUNS = (KINDS.keys() | FRUIT | VEGETABLES | HAS_OTHER_NAMES) - {
    'one', 'thing', 'object', 'item', 'stuff', 'table', 'tabletop', 'desk', 'round', 'square',
    'flat', 'fruit', 'food', 'vegetable', 'cutlery', 'crockery', 'tool'} - COLOURS
_NOUN = f'(?:{"|".join(sorted(_NOUNS))})'
_NAME = rf'(?:the )?(?:{COLOUR} )?{_NOUN}'
# "red cube blue cube in the bowl", by voice: two colours are two things
_COLOURED = re.compile(rf'{START}(?:({PUT_VERB}) )?({COLOUR} {_NOUN}(?: (?:and )?{COLOUR} '
                       rf'{_NOUN})+)(?: (both|all {COUNT}|all)(?: of (?:them|those|these))?)? '
                       rf'(?:go )?(?={TO} )')
# "can in the bin bar in the bowl"
_NEXT = re.compile(rf'\b((?:in|into) (?:the )?{HOLDER}) (?!can\b)(?={_NAME} (?:in|into) (?:the '
                   rf')?{HOLDER}\b)')
_ROW = re.compile(rf'{START}(?:(?:arrange|order|put|place|set|line up|lay out) (?:them |things '
                  rf')?)?from (left to right|right to left)(?:,|\s*:)? (?:(?:i|we) (?:want|would '
                  rf'like)(?: to (?:have|see))?\s*:? |put |place |it should be )?'
                  rf'((?:{_NAME}|{COLOUR})(?:,? (?:and |then )?'
                  rf'(?:{_NAME}|{COLOUR}))+){END}')
_LEVEL = rf'(?:{_NAME}|{COLOUR}) (?:at the bottom|in the middle|on top|at the top)'
_LEVELS = re.compile(rf'{START}(?:(?:i want|put|place|stack|tower:) )?({_LEVEL}(?:,? (?:and |'
                     rf'then )?{_LEVEL}){{1,2}}){END}')
_LISTED = re.compile(r',? and |, ')


def with_spoken_lists(text: str) -> str:
    """The text with what each of these lists means in words."""
    text = rewritten(_AMONG, _one_of_them, text, ' '.join(COUNTS))
    text = rewritten(_OF_BOTH, _only_one, text, 'only *')
    text = rewritten(_USED, _used_for, text)
    text = rewritten(_THINGS_FOR, _put_in, text, ' '.join(COUNTS))
    text = rewritten(_ON_COLOURS, _stacked, text)
    text = rewritten(_ROW, _in_a_row, rewritten(_LEVELS, _levels, text))
    text = _NEXT.sub(r'\1, ', text)
    return rewritten(_COLOURED, _with_commas, text, f'all both {" ".join(COUNTS)}')


def _one_of_them(match: re.Match[str]) -> str:
    """ "of the two cubes, the left one" is "the left cube"."""
    start, things, verb, which = match.groups()
    *first, last = things.split()
    return ' '.join(filter(None, (f'{start}{verb}{which}'.rstrip(), *first, singular(last)[0])))


def _only_one(match: re.Match[str]) -> str:
    """ "of A and B, only B goes there" is "leave A. B goes there"."""
    start, first, second, chosen, where = match.groups()
    if chosen not in (first, second):
        return match[0]
    other = second if chosen == first else first
    return f'{start}leave {other}. {chosen} {where}'


def _used_for(match: re.Match[str]) -> str:
    """ "the bin for the cubes and the bowl for the bar"."""
    pairs = list(_USE.finditer(match[1]))
    if ''.join(p[0] for p in pairs) != match[1]:
        return match[0]
    noun = pairs[0][1].split()[-1]  # "the white bowl for ..., the black one for ..."
    return '. '.join(f'put {p[2]} to {re.sub("one$", noun, p[1])}' for p in pairs)


def _put_in(match: re.Match[str]) -> str:
    """ "two things for the bin: A and B". Not if it names more or fewer of them."""
    start, count, holder, things = match.groups()
    number = COUNTS.get(count or '', int(count) if (count or '').isdigit() else None)
    if number not in (None, len(_LISTED.split(things.strip()))):
        return match[0]
    return f'{start}put {things.strip()} in {holder}'


def _stacked(match: re.Match[str]) -> str:
    chain = [f'the {colour} one' for colour in re.findall(COLOUR, match[2])]
    return f'{match[1]}{"stack" if len(chain) > 2 else "put"} {" on ".join(chain)}'


def _names(listed: str) -> list[str]:
    """The things of a list. A colour alone is "the red one"."""
    found = re.findall(rf'{_NAME}|{COLOUR}', listed)
    return [f'the {name} one' if name in COLOURS else name for name in found]


def _in_a_row(match: re.Match[str]) -> str:
    things = _names(match[3])
    if len(things) < 2:
        return match[0]
    return f'{match[1]}put {", ".join(things[:-1])} and {things[-1]} in a row from {match[2]}'


def _levels(match: re.Match[str]) -> str:
    """ "red at the bottom, blue in the middle, green on top"."""
    levels = re.findall(r'bottom|middle|top', match[2])
    things = _names(match[2])
    if sorted(levels) not in (['bottom', 'top'], ['bottom', 'middle', 'top']) or (
            len(things) != len(levels)):
        return match[0]
    chain = [thing for _, thing in sorted(zip(levels, things), key=lambda x: (
        ('bottom', 'middle', 'top').index(x[0])))]
    return f'{match[1]}stack {", ".join(chain[:-1])} and {chain[-1]} from bottom to top'


def _with_commas(match: re.Match[str]) -> str:
    start, verb, names, every = match.groups()
    things = re.findall(_NAME, names)
    count = every.split()[-1] if every else ''
    wanted = COUNTS.get(count, 2 if count == 'both' else len(things))
    if wanted != len(things) or len(set(things)) < len(things):
        return match[0]
    return f'{start}{verb or "put"} {", ".join(things[:-1])} and {things[-1]} '
