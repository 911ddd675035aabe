"""Lists with a colon or "then": "red cube: bowl", "make a tower: white, then blue, then red"."""

from __future__ import annotations

import re

from ...nouns import singular
from ..words import COLOURS
from .asides import VERB
from .counted_words import rewritten
from .wish_frames import HOLDER

_HOLDER = rf'(?:\w+ ){{0,2}}?{HOLDER}'
_TO_HOLDER = re.compile(rf'(^|[.;,\n]\s*)((?:the |all |every |my )?[\w ]+?)\s*(?::|=|=>)'
                        rf'\s*(?:the |'
                        rf'in the |into the )?({_HOLDER})(?=\s*(?:$|[.;,!\n]))')
_OF_HOLDER = re.compile(rf'(^|[.;\n]\s*)(?!{VERB} (?:the|my|this|that)\b)'
                        rf'(?:the |in the |into the )?({_HOLDER})\s*:\s*'
                        r'([^.;:\n]+)(?=$|[.;!\n])')
_NEXT_HOLDER = re.compile(rf'[,;] (?:and )?(?=(?:the |in the )?{_HOLDER}\s*:)')
_TOWER = re.compile(r'(?:(?:make|build|create|do|i want|i would like|form)'
                    r'\b[^.;:!?,]*\b)?(?:tower|stack|'
                    r'pile)\b(?: of| from| with)?(?: the)?(?: \w+){0,3}?\s*[:,]?\s*'
                    r'(?:starting with |start with |begin with |first '
                    r')?([^.;!?:]*\bthen\b[^.;!?]*)')
_THEN = re.compile(r',?\s*(?:and )?then\s+|,\s*(?:and )?|\s+and\s+')
_END = re.compile(r'\s*\b(?:at the (?:bottom|top|base)|on (?:the )?(?:bottom|top)(?: of (?:that|'
                  r'it))?|on (?:that|'
                  r'it)|as the (?:base|top)|first|last|finally)\b')
_TOP = re.compile(r'\b(?:at the|on the|on|as the) top\b(?! of)')
_BOTTOM = re.compile(r'\b(?:bottom|base)\b')
_HEADED = re.compile(r'^(?:please )?(?:sort|tidy|organi[sz]e|arrange|deal with|take care of|'
                     r'handle)(?: out| up)? (?:all )?'
                     r'(?:the |my )?(?:two |three )?([\w ]+?)(?: for (?:me|us))?\s*[:,]\s*'
                     r'([^:]*)$')
# "red in the bowl, the blue ones in the bin"
_OF_THEM = re.compile(rf'\b(?:the )?({"|".join(sorted(COLOURS))})'
                      r'(?= (?:in|into|on|onto|to|go|goes)\b)')
_HEADER = re.compile(
    r'(^|[.;!?]\s*)(?:please )?(?:dish up|serve|make (?:some )?(?:space|room)|do (?:this|the '
    r'following|as follows|it like '
    r'this)|here is (?:what|the|your)[^:]*|(?:the |my |your |new |next )?(?:plan|order|list|'
    r'setup|layout|'
    r'arrangement|instructions?|goal|task|job|wish|request|final state|result)(?: is| for '
    r'(?:today|you|now))?|'
    r'this is '
    r'what i want|i want the '
    r'following|let us do (?:this|it like this)|set the table|prepare|what i want|to do|lay the '
    r'table)\s*:\s*')
# "the banana and the dog: all in the bin"
_NAMED = re.compile(r'(^|[.;!?]\s*)([\w ,-]*\b(?:and|,) [\w -]+?)(?:\s*[:,])?\s+(?:(?:all|both|'
                    r'each)(?: of (?:them|'
                    r'these|those))?|they(?: all| both)?|all (?:two|three|four|five)(?: of '
                    r'them)?)(?: go| goes| belong| should go| '
                    r'should be)? (?=(?:in|into|on|onto|to|next to|behind) )')
_FROM_BOTTOM = re.compile(r'\b(?:stack|pile|build|make)\b[^.;:!?]*?(?:in (?:this|that) '
                          r'order )?\bfrom (?:the )?(bottom|top)'
                          r'(?: up| down| to (?:the )?(?:top|bottom))?'
                          r'(?: in (?:this|that) order)?\s*:\s*([^.;:!?]+)')
# "put these in a row from left to right: the can, the bar"
_THESE = re.compile(rf'\b({VERB}(?: up| away)?) (?:these|those|the following)'
                    r'(?: things| objects| items| ones)?'
                    r'((?: in| into| on| onto| from| next| side)\b[^.;:!?]*)?\s*:\s*([^.;:!?]+)')
_COUNTS = {'both': 2, 'two': 2, 'three': 3, 'four': 4, 'five': 5}
_NUMBERED = re.compile(r'(^|\n|[.;]\s+|\s)(?:\d|[abc])[.)]\s+(?=[a-z])')
# "Two things: 1) ..."
_COUNTED = re.compile(r'(?:do |please |just |the |these |following |my |your )*(?:(two|three|four|'
                      r'five) )?(?:things?|steps?|tasks?|jobs?|commands?|orders?|to-?dos?|list|'
                      r'plan)(?: to do| for you| please| today)*')


def with_lists(text: str) -> str:
    """The text with what each list means in words."""
    text = _numbered(text)
    text = rewritten(_THESE, lambda m: f'{m[1]} {m[3]}{m[2] or ""}', text)
    text = rewritten(_NAMED, _go_there, rewritten(_HEADER, r'\1', text),
                     f'all each {" ".join(_COUNTS)}')
    text = rewritten(_HEADED, _with_noun, text, 'one two three')
    text = rewritten(_TO_HOLDER, r'\1\2 goes to \3', text)
    text = rewritten(_OF_HOLDER, _inside, _NEXT_HOLDER.sub('. ', text))
    text = rewritten(_FROM_BOTTOM, lambda m: _stacked(m[2], m[1]) or m[0], text, count=1)
    ends = 'at on top bottom base last finally first'
    return rewritten(_TOWER, _tower, text, f'{ends} {" ".join(_COUNTS)}', count=1)


def _numbered(text: str) -> str:
    """The items of a list "1. ... 2. ..." as sentences. "On plate 1. Then ..." is none."""
    items = list(_NUMBERED.finditer(text))
    head = text[:items[0].start()].strip(' .:\n') if items else ''
    counted = _COUNTED.fullmatch(head)
    fits = counted and _COUNTS.get(counted[1] or '', len(items)) == len(items)
    if len(items) < 2 or head and not fits:
        return text
    return _NUMBERED.sub('. then ', text[items[0].end():])  # the numbers say the order


def _with_noun(match: re.Match[str]) -> str:
    """The parts of a list with the noun of its header: "the cubes: the red one in ..."."""
    noun = singular(match[1].split()[-1])[0]
    listed = _OF_THEM.sub(rf'the \1 {noun}', match[2])
    listed = re.sub(r'\bone(s?)\b', rf'{noun}\1', listed)
    return match[0] if listed == match[2] else listed


def _go_there(match: re.Match[str]) -> str:
    acts = re.search(rf'\b(?:{VERB}|in|into|on|to|them|they)\b', match[2])
    return match[0] if acts or not are_as_many(match[2], match[0]) else f'{match[1]}{match[2]} go '


def are_as_many(listed: str, said: str) -> bool:
    """Whether "A, B and C" has as many things as "both" or "all three" says, if it does."""
    count = len(re.findall(r',(?: and)? | and ', listed)) + 1
    return all(_COUNTS.get(word, count) == count for word in re.findall(r'\w+', said))


def _inside(match: re.Match[str]) -> str:
    start, holder, things = match.groups()
    if things.startswith('only '):
        return f'{start}only {things[5:]} should be in the {holder}'
    return f'{start}put {things} to the {holder}'


def _tower(match: re.Match[str]) -> str:
    first, *_, last = _THEN.split(match[1])
    down = _TOP.search(first) or _BOTTOM.search(last)
    up = _BOTTOM.search(first) or _TOP.search(last)
    stacked = '' if up and down else _stacked(match[1], 'top' if down else 'bottom')
    head = match[0][:match.start(1) - match.start()]
    said = [word for word in _COUNTS if word in re.findall(r'\w+', head)]
    fits = all(_COUNTS[word] == stacked.count('the ') for word in said)
    return stacked if stacked and fits else match[0]


def _stacked(listed: str, start: str) -> str:
    """ "white, then blue, then red" as an order to stack; '' if it is no list of things."""
    said = [part for part in _THEN.split(listed) if part.strip()]
    parts = [_END.sub('', part).strip() for part in said]
    verbs = re.compile(rf'\b(?:{VERB}|it|them)\b')
    if len(parts) < 2 or any(verbs.search(p) or len(p.split()) > 4 for p in parts) or any(
            _TOP.search(part) or _BOTTOM.search(part) for part in said[1:-1]):
        return ''
    things = [f'the {p} cube' if p in COLOURS else p if p.startswith('the ') else f'the {p}'
              for p in parts]
    end = 'top' if start == 'bottom' else 'bottom'
    return f'stack {", ".join(things[:-1])} and {things[-1]} from {start} to {end}'
