"""Lists with a colon or "then": "red cube: bowl", "make a tower: white, then blue, then red"."""

from __future__ import annotations

import re

from replan_agent.domain.nouns import singular

from ..words import COLOURS
from .asides import VERB
from .counted_words import rewritten

_HOLDER = r'(?:\w+ ){0,2}?(?:bowl|bin|plate|tray|box|basket|crate|dish|wastebasket|trash)'
_TO_HOLDER = re.compile(rf'(^|[.;,\n]\s*)((?:the |all |every |my )?[\w ]+?)\s*(?::|=|=>)'
                        rf'\s*(?:the |'
                        rf'in the |into the )?({_HOLDER})(?=\s*(?:$|[.;,!\n]))')
_OF_HOLDER = re.compile(rf'(^|[.;\n]\s*)(?:the |in the |into the )?({_HOLDER})\s*:\s*'
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
_LEVELS = re.compile(r'([^,.;:!?]+?) (?:at|on|in|is|goes|as|being)? ?(?:at |on )?(?:the '
                     r')?(bottom|middle|top|base|very '
                     r'top|very bottom)\b,?(?: and)?')
_HEADED = re.compile(r'^(?:please )?(?:sort|tidy|organi[sz]e|arrange|deal with|take care of|'
                     r'handle)(?: out| up)? (?:all )?'
                     r'(?:the |my )?(?:two |three )?([\w ]+?)\s*[:,]\s*([^:]*\bones?\b[^:]*)$')
_HEADER = re.compile(
    r'(^|[.;!?]\s*)(?:please )?(?:dish up|serve|make (?:some )?(?:space|room)|do (?:this|the '
    r'following|as follows|it like '
    r'this)|here is (?:what|the|your)[^:]*|(?:the |my |your |new |next )?(?:plan|order|list|'
    r'setup|layout|'
    r'arrangement|instructions?|goal|task|job|wish|request|final state|result)(?: is| for '
    r'(?:today|you|now))?|'
    r'clean(?:ing)? up|tidy(?:ing)? up|sort|sorting|rearrange(?: things| everything)?|this is '
    r'what i want|i want the '
    r'following|let us do (?:this|it like this)|set the table|prepare|what i want|to do|lay the '
    r'table)\s*:\s*')
# "the banana and the dog: all in the bin"
_NAMED = re.compile(r'(^|[.;!?]\s*)([\w ,-]*\b(?:and|,) [\w -]+?)(?:\s*[:,])?\s+(?:(?:all|both|'
                    r'each)(?: of (?:them|'
                    r'these|those))?|they(?: all| both)?|all (?:two|three|four|five)(?: of '
                    r'them)?)(?: go| goes| belong| should go| '
                    r'should be)? (?=(?:in|into|on|onto|to|next to|behind) )')
_FROM_BOTTOM = re.compile(r'\b(?:stack|pile|build|make)\b[^.;:!?]*?\bfrom (?:the )?(bottom|top)'
                          r'(?: up| down| to (?:the )?(?:top|bottom))?'
                          r'[^.;:!?]*?:\s*([^.;:!?]+)')
# "put these in a row from left to right: the can, the bar"
_THESE = re.compile(rf'\b({VERB}(?: up| away)?) (?:these|those|the following)(?: \w+)?(?<! in)'
                    r'((?: in| into| on| onto| from| next| side)\b[^.;:!?]*)?\s*:\s*([^.;:!?]+)')
_COUNTS = {'two': 2, 'three': 3, 'four': 4, 'five': 5}
_NUMBERED = re.compile(r'(^|\n|[.;]\s+|\s)(?:\d|[abc])[.)]\s+(?=[a-z])')


def with_lists(text: str) -> str:
    """The text with what each list means in words."""
    text = _NUMBERED.sub('. ', text) if _is_numbered(text) else text
    text = rewritten(_THESE, lambda m: f'{m[1]} {m[3]}{m[2] or ""}', text)
    text = rewritten(_NAMED, _go_there, rewritten(_HEADER, r'\1', text))
    text = rewritten(_HEADED, lambda m: re.sub(
        r'\bone\b', singular(m[1].split()[-1])[0], m[2]), text)
    text = rewritten(_TO_HOLDER, r'\1\2 goes to \3', text)
    text = rewritten(_OF_HOLDER, _inside, _NEXT_HOLDER.sub('. ', text))
    text = rewritten(_FROM_BOTTOM, lambda m: _stacked(m[2], m[1]) or m[0], text, count=1)
    return rewritten(_TOWER, _tower, text, ' '.join(_COUNTS), count=1)


def _is_numbered(text: str) -> bool:
    """Whether it is a list "1. ... 2. ...". "On plate 1. Then ..." is none."""
    items = list(_NUMBERED.finditer(text))
    return len(items) > 1 and not text[:items[0].start()].strip(' .:\n')


def _go_there(match: re.Match[str]) -> str:
    acts = re.search(rf'\b(?:{VERB}|in|into|on|to|them|they)\b', match[2])
    return match[0] if acts else f'{match[1]}{match[2]} go '


def _inside(match: re.Match[str]) -> str:
    start, holder, things = match.groups()
    if things.startswith('only '):
        return f'{start}only {things[5:]} should be in the {holder}'
    return f'{start}put {things} to the {holder}'


def _tower(match: re.Match[str]) -> str:
    stacked = _stacked(match[1], 'bottom')
    head = match[0][:match.start(1) - match.start()]
    said = [word for word in _COUNTS if word in re.findall(r'\w+', head)]
    fits = all(_COUNTS[word] == stacked.count('the ') for word in said)
    return stacked if stacked and fits else match[0]


def _stacked(listed: str, start: str) -> str:
    """ "white, then blue, then red" as an order to stack; '' if it is no list of things."""
    parts = [_END.sub('', part).strip() for part in _THEN.split(listed) if part.strip()]
    verbs = re.compile(rf'\b(?:{VERB}|it|them)\b')
    if len(parts) < 2 or any(verbs.search(p) or len(p.split()) > 4 for p in parts):
        return ''
    things = [f'the {p} cube' if p in COLOURS else p if p.startswith('the ') else f'the {p}'
              for p in parts]
    end = 'top' if start == 'bottom' else 'bottom'
    return f'stack {", ".join(things[:-1])} and {things[-1]} from {start} to {end}'
