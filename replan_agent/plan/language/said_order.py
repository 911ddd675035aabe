"""An order in words, "from biggest to smallest", as a key to sort by."""

from __future__ import annotations

import re

_DIMENSIONS = {
    'size': ('smallest small smaller little tiny', 'biggest big bigger largest large larger'),
    'height': ('shortest short shorter lowest low', 'tallest tall taller highest high')}
_ENDS = {word: (key, way) for key, both in _DIMENSIONS.items()
         for way, words in zip(('up', 'down'), both) for word in words.split()}
_END = '|'.join(_ENDS)
_WAYS = {'ascending': 'up', 'increasing': 'up', 'descending': 'down', 'decreasing': 'down'}
_FROM_TO = re.compile(rf',?\s*\b(?:in order\s+)?from\s+(?:the\s+)?({_END})\s+(?:one\s+)?'
                      rf'(?:up\s+|down\s+)?to\s+(?:the\s+)?({_END})\b(?: one\b)?,?')
_FIRST = re.compile(rf',?\s*\b(?:with\s+)?(?:the\s+)?({_END})(?: one)?\s+(?:first|(?:on|at) the '
                    r'(left|right))\b(?!\s+(?:of|in|into|on|onto)\b)')
_BY_WAY = re.compile(rf',?\s*\b(?:in|by)\s+({"|".join(_WAYS)})(?:\s+order)?(?:\s+of|\s+by)?\s+'
                     r'(size|height)\b')
_SORTED = re.compile(r'\b(?:sort|order|arrange|organi[sz]e|row|line)\b')
SORTED_AS = {'size_up': 'from small to big', 'size_down': 'from big to small',
        'height_up': 'from short to tall', 'height_down': 'from tall to short'}


def ordered(text: str) -> str:
    """The text with "from biggest to smallest" as "by size_down" at the end of its sentence."""
    match, key = _found(text)
    if match is None:
        return text
    rest = text[:match.start()] + ' ' + text[match.end():]
    rest = re.sub(rf',?\s*\bby (?:their )?{key.split("_")[0]}\b', '', rest)
    return f'{rest.rstrip(" .!,")} by {key}'


def _found(text: str) -> tuple[re.Match[str] | None, str]:
    """Where the order is said, and the key that it means."""
    for match in _FROM_TO.finditer(text):
        (key, way), (other, back) = _ENDS[match[1]], _ENDS[match[2]]
        if key == other and way != back:
            return match, f'{key}_{way}'
    sorts = _SORTED.search(text)
    first = _FIRST.search(text) if sorts else None
    if first is not None and first.start():
        key, way = _ENDS[first[1]]
        turned = first[2] == 'right'
        return first, f'{key}_{way if not turned else "down" if way == "up" else "up"}'
    by_way = _BY_WAY.search(text) if sorts else None
    if by_way is not None:
        return by_way, f'{by_way[2]}_{_WAYS[by_way[1]]}'
    return None, ''
