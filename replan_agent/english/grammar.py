"""Reads the grammar (grammar.lark): its rules, without groups, options and repeats."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

_RULE = re.compile(r'^(\w+):(.*(?:\n[ \t].*)*)', re.MULTILINE)
_SIGN = re.compile(r'//.*|"[^"]*"|-> *\w+|\w+|[()|?*+]')
_Ways = tuple[tuple[str, ...], ...]  # the symbols of each way to say something


class Rule(NamedTuple):
    """A way to say `name`; what it means is called `alias`.

    A symbol is a rule (a), a category of words (A) or a word ("a").
    """

    name: str
    alias: str
    symbols: tuple[str, ...]


def grammar_rules(text: str) -> list[Rule]:
    """The rules of a grammar."""
    rules: dict[Rule, None] = {}
    repeated: dict[_Ways, str] = {}
    signs: list[str] = []  # of a rule, the next one last

    def ways() -> _Ways:
        """Those of a rule or group up to its end."""
        found: list[_Ways] = [()]
        parts: list[_Ways] = []
        while signs[-1] != ')':
            sign = signs.pop()
            part = ways() if sign == '(' else ((sign,),)
            if sign == '|':
                found.append(_product(parts))
                parts = []
                continue
            if signs[-1] in ('*', '+'):
                name = repeated.setdefault(part, f'__{len(repeated)}')
                rules.update((Rule(name, name, again + way), None)
                             for again in ((), (name,)) for way in part)
                part = ((name,),)
            if signs[-1] in ('*', '?', '+'):
                part += ((),) * (signs.pop() != '+')
            parts.append(part)
        signs.pop()
        return (*itertools.chain(*found), *_product(parts))

    for name, said in _RULE.findall(text):
        signs[:] = [')', *(s for s in reversed(_SIGN.findall(said)) if not s.startswith('//'))]
        for way in ways():
            named = way[-1].startswith('->')
            rules[Rule(name, way[-1][2:].strip() if named else name,
                       way[:-1] if named else way)] = None
    return list(rules)


def _product(parts: list[_Ways]) -> _Ways:
    return tuple(tuple(itertools.chain(*way)) for way in itertools.product(*parts))
