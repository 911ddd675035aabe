"""Reads the grammar (grammar.lark): its rules, without groups, options and repeats."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

_SIGN = re.compile(r'//.*|"[^"]*"|->|\w+:?|[()|?*+]')
Ways = list[tuple[str, ...]]  # the symbols of each way to say something


class Rule(NamedTuple):
    """A way to say `name`; what it means is called `alias`."""

    name: str
    alias: str
    symbols: tuple[str, ...]


class Grammar:
    """The rules of a grammar. A symbol is a rule, a category of words (A) or a word ("a")."""

    def __init__(self, text: str) -> None:
        self.rules: dict[Rule, None] = {}
        self._repeats: dict[tuple[tuple[str, ...], ...], str] = {}
        self._signs = [s for s in reversed(_SIGN.findall(text)) if not s.startswith('//')]
        while self._signs:
            self._add_rule(self._signs.pop().removesuffix(':'))

    def _next_is(self, *signs: str) -> bool:
        found = bool(self._signs) and self._signs[-1] in signs
        if found:
            self._signs.pop()
        return found

    def _add_rule(self, name: str) -> None:
        more = True
        while more:
            ways = self._ways()
            alias = self._signs.pop() if self._next_is('->') else name
            self.rules |= {Rule(name, alias, way): None for way in ways}
            more = self._next_is('|')

    def _ways(self) -> Ways:
        """Up to the end of the rule or group, or to the next way that it has."""
        found: list[Ways] = []
        while self._signs and self._signs[-1] not in ('|', ')', '->') and (
                not self._signs[-1].endswith(':')):
            part: Ways = []
            if self._next_is('('):
                while not self._next_is(')'):
                    part += self._ways()
                    self._next_is('|')
            else:
                part = [(self._signs.pop(),)]
            repeats, may_lack = self._signs[-1:] in (['*'], ['+']), self._signs[-1:] != ['+']
            if self._next_is('*', '+', '?'):
                part = [*([(self._repeat(part),)] if repeats else part), *([()] * may_lack)]
            found.append(part)
        return [tuple(itertools.chain(*way)) for way in itertools.product(*found)]

    def _repeat(self, ways: Ways) -> str:
        """The name of a rule for one or more of these."""
        name = self._repeats.setdefault(tuple(ways), f'__{len(self._repeats)}')
        self.rules |= {Rule(name, name, (*again, *way)): None
                       for again in ((), (name,)) for way in ways}
        return name
