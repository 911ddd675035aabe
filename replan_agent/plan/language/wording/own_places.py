"""Each thing in the container named after it: "put the milk and the can into their bins"."""

from __future__ import annotations

import re

from replan_agent.domain.nouns import singular

from .constructions import END, NAMED, PUT_VERB
from .counted_words import rewritten
from .wish_frames import HOLDER_S

_AND = r'(?:,? and |, )'
_OWN = re.compile(rf'\b({PUT_VERB}) ({NAMED}(?:{_AND}{NAMED})*) (in|into|inside) (?:its|their)'
                  rf'(?: own| respective| right| proper| matching)? ({HOLDER_S}){END}')
_SEPARATE = re.compile(_AND)
_MANY = re.compile(r'^(?:these|those|both|all)\b')


def with_own_places(text: str) -> str:
    """The text with the container of each thing named: "the milk in the milk bin"."""
    return rewritten(_OWN, _each_in_its_own, text)


def _each_in_its_own(match: re.Match[str]) -> str:
    verb, listed, where, holder = match.groups()
    names = _SEPARATE.split(listed)
    if any(map(_MANY.search, names)):
        return match[0]
    each = [f'{name} {where} the {name.split(" ", 1)[1]} {singular(holder)[0]}' for name in names]
    return f'{verb} ' + ', '.join(each[:-1]) + (' and ' if each[:-1] else '') + each[-1]
