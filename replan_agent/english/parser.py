# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parses a task with the grammar (grammar.lark): all of its readings, or where it stops to fit.

The parser is Earley's, with one word of look-ahead; no rule is empty.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from .dictionary import Lexicon, SaidWord

MOST_READINGS = 24  # of one part of a sentence
MOST_TRIED = 20_000  # places in rules; an ordinary sentence has less than 3,000
MOST_BUILT = 5_000  # values, of an ordinary sentence less than 200
Build = Callable[[str, tuple[Any, ...], str], Any]
_Part = tuple['_Point', int]  # of a rule, up to a place in it, and where it begins
_Spans = dict[_Part, list[int]]
_RULE = re.compile(r'^(\w+):(.*(?:\n[ \t].*)*)', re.MULTILINE)
_SIGN = re.compile(r'//.*|"[^"]*"|-> *\w+|\w+|[()|?*+]')
_Ways = tuple[tuple[str, ...], ...]  # the symbols of each way to say something


class Stops(Exception):
    """The words do not fit: the number of the first such, or None if in too many ways."""


class Rule(NamedTuple):
    """A way to say `name` with the meaning `alias`; a symbol is a rule, a CATEGORY or "word"."""

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


class _Point:
    """A place in a rule: before its next symbol, which is '' at its end."""

    def __init__(self, rule: Rule, at: int = 0, before: _Point | None = None) -> None:
        self.rule, self.before = rule, before
        self.symbol, self.is_word, self.is_hidden = '', False, False
        self.after, self.end = self, self
        if at < len(rule.symbols):
            self.symbol = rule.symbols[at]
            self.is_word = self.symbol.isupper() or self.symbol.startswith('"')
            self.is_hidden = self.symbol.startswith(('_', '"'))
            self.after = _Point(rule, at + 1, self)
            self.end = self.after.end


class Parser:
    """The grammar, ready to parse. All threads share one (`parser`): it is slow to build."""

    def __init__(self, grammar: str, lexicon: Lexicon) -> None:
        self.points: dict[str, list[_Point]] = {}  # where the rules of each symbol begin
        for rule in grammar_rules(grammar):
            self.points.setdefault(rule.name, []).append(_Point(rule))
            lexicon.literals |= {s.strip('"'): s for s in rule.symbols if s.startswith('"')}
        self._first: dict[str, frozenset[str]] = {}
        self.lexicon = lexicon

    def first(self, symbol: str) -> frozenset[str]:
        """The categories of words that a symbol may begin with."""
        if symbol not in self._first:
            found = [symbol]
            for name in found:  # it grows
                found += {p.symbol for p in self.points.get(name, ())}.difference(found)
            self._first[symbol] = frozenset(found) - self.points.keys()
        return self._first[symbol]

    def readings(self, words: Sequence[SaidWord], build: Build, start: str = 'start') -> list[Any]:
        """What `build` makes of each parse: it gets a rule's name, its parts and its words."""
        try:
            spans = self._spans(words, start)
            return _Values(self, words, spans, build).of(start, 0, len(words))
        except RecursionError:
            raise Stops(None) from None

    def _spans(self, words: Sequence[SaidWord], start: str) -> list[_Spans]:
        """The parts of rules that end before each word, and where their last symbols begin."""
        spans: list[_Spans] = [{(point, 0): [] for point in self.points[start]}]
        waiting: list[dict[str, list[_Part]]] = []  # for a symbol that begins before the word
        for at in range(len(words) + 1):
            said = words[at].categories if at < len(words) else frozenset()
            spans.append(self._next(at, said, spans[at], waiting))
            if at < len(words) and not spans[-1]:
                raise Stops(at)
            if sum(map(len, spans)) > MOST_TRIED:
                raise Stops(None)
        if not any((point.end, 0) in spans[len(words)] for point in self.points[start]):
            raise Stops(len(words))
        return spans

    def _next(self, at: int, said: frozenset[str], here: _Spans,
              waiting: list[dict[str, list[_Part]]]) -> _Spans:
        """Completes the parts that end here; returns those with the next word."""
        after: _Spans = {}
        complete: set[tuple[str, int]] = set()
        waiting.append({})
        parts = list(here)
        for point, begun in parts:  # they grow
            symbol, name = point.symbol, point.rule.name
            if point.is_word:
                if symbol in said:
                    after[point.after, begun] = [at]
            elif symbol:
                if symbol not in waiting[at]:
                    new = [(p, at) for p in self.points[symbol]
                           if (p, at) not in here and not said.isdisjoint(self.first(p.symbol))]
                    here.update((part, []) for part in new)
                    parts += new
                waiting[at].setdefault(symbol, []).append((point, begun))
            elif (name, begun) not in complete:
                complete.add((name, begun))
                for before, first in waiting[begun].get(name, ()):
                    part = before.after, first
                    if part not in here:
                        parts.append(part)
                    here.setdefault(part, []).append(begun)
        return after


class _Values:
    """What the rules that fit mean: all, but equal ones once."""

    def __init__(self, parser: Parser, words: Sequence[SaidWord], spans: list[_Spans],
                 build: Build) -> None:
        self.parser, self.words, self.spans, self.build = parser, words, spans, build
        self.known: dict[tuple[str | _Point, int, int], list[Any]] = {}
        self.left = MOST_BUILT

    def of(self, symbol: str, begin: int, end: int) -> list[Any]:
        """The values of a symbol; those of one whose name begins with _ are parts of others."""
        if (symbol, begin, end) not in self.known:
            self.known[symbol, begin, end] = []
            said = ' '.join(map(str, self.words[begin:end]))
            found: dict[Any, None] = {}
            for point in self.parser.points[symbol]:
                if (point.end, begin) not in self.spans[end]:
                    continue
                for parts in self._parts(point.end, begin, end):
                    value = parts if symbol.startswith('_') else self.build(
                        point.rule.alias, parts, said)
                    found |= {value: None} if value is not None else {}
            self.known[symbol, begin, end] = list(found)[:MOST_READINGS]
        return self.known[symbol, begin, end]

    def _parts(self, point: _Point, begin: int, end: int) -> list[tuple[Any, ...]]:
        """The values of the symbols of a rule before a point of it."""
        before = point.before
        if before is None:
            return [()]
        key = point, begin, end
        if key not in self.known:
            found: dict[tuple[Any, ...], None] = {}
            for middle in self.spans[end][point, begin]:
                for left, right in itertools.product(self._parts(before, begin, middle),
                                                     self._last(before, middle, end)):
                    found[left + right] = None
                    self.left -= 1
                    if self.left < 0:
                        raise Stops(None)
            self.known[key] = list(found)[:MOST_READINGS]
        return self.known[key]

    def _last(self, point: _Point, begin: int, end: int) -> list[tuple[Any, ...]]:
        if point.is_word:
            return [() if point.is_hidden else (self.words[begin].meaning(point.symbol),)]
        values = self.of(point.symbol, begin, end)
        return values if point.is_hidden else [(value,) for value in values]


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The parser of English tasks."""
    grammar = Path(__file__).parent / 'grammar.lark'
    return Parser(grammar.read_text(encoding='utf-8'), Lexicon())
