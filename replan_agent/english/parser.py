"""Parses a task with the grammar (grammar.lark): all of its readings, or where it stops to fit."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.grammar import Rule, Symbol
from lark.lexer import Lexer
from lark.parsers.earley_forest import PackedNode, SymbolNode

from .lexicon import Lexicon, SaidWord
from .nouns import LEXICON

MOST_READINGS = 24  # of one part of a sentence
MOST_COMBINED = 400
MOST_LOOKED_UP = 6_000  # by the parser; an ordinary sentence needs less than 1,000
MOST_BUILT = 5_000  # values, of an ordinary sentence less than 200
Build = Callable[[str, tuple[Any, ...], str], Any]


class _TooMany(Exception):
    """The words can be put together in too many ways."""


@dataclass(frozen=True)
class Stops:
    """The first word that does not fit, by its number; or there are too many ways to read it."""

    at: int
    too_many: bool = False


class Parser:
    """The grammar, ready to parse. All threads share one (`parser`): it is slow to build."""

    def __init__(self, grammar: str, lexicon: Lexicon) -> None:
        declared = f'\n%declare {" ".join(sorted(lexicon.categories))}\n'
        lark = Lark(grammar + declared, parser='earley', lexer=_GivenWords, ambiguity='forest',
                    start=['start', 'things_at', 'remark'])
        self.lexicon = lexicon
        self._parsing = threading.Lock()  # the predictions know what comes next
        self._earley = lark.parser.parser
        self._predictions = _Predictions(self._earley)
        self._earley.predictions = self._predictions
        self._earley.term_matcher = lambda terminal, token: terminal.name in token.categories
        lexicon.literals = {t.pattern.value: t.name for t in lark.terminals if t.pattern}
        lexicon.add_phrases(lexicon.literals)

    def rules(self) -> Sequence[Rule]:
        return list(self._earley.parser_conf.rules)

    def readings(self, words: Sequence[SaidWord], build: Build, start: str = 'start'
                 ) -> list[Any] | Stops:
        """What `build` makes of each parse: it gets a rule's name, its parts and its words."""
        lexer = _GivenWords(None)
        lexer.words, lexer.predictions = words, self._predictions
        with self._parsing:
            self._predictions.next = words[0].categories if words else frozenset()
            self._predictions.left = MOST_LOOKED_UP
            try:
                forest = self._earley.parse(lexer, start)
            except _TooMany:
                return Stops(len(words), True)
            except UnexpectedInput:
                return Stops(max(lexer.given - 1, 0) if lexer.given <= len(words) else len(words))
        try:
            return _Forest(words, build).values(forest)
        except (_TooMany, RecursionError):
            return Stops(len(words), True)


class _GivenWords(Lexer):
    """Gives the words to lark one by one, and tells the predictions what comes next."""

    words: Sequence[SaidWord] = ()
    given = 0

    def __init__(self, conf: Any) -> None:
        self.predictions: Any = None

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        for word in self.words:
            self.given += 1
            self.predictions.next = word.categories
            yield word
        self.given += 1
        self.predictions.next = frozenset()


class _Predictions(dict[Symbol, list[Rule]]):
    """The rules that can begin with the next word: one word of look-ahead for lark's Earley."""

    def __init__(self, earley: Any) -> None:
        super().__init__(earley.predictions)
        self.next: frozenset[str] = frozenset()
        self.left = 0
        self._nullable, self._first = earley.NULLABLE, earley.FIRST
        self._begins = {rule: self._begins_with(rule) for rules in self.values() for rule in rules}
        self._known: dict[tuple[Symbol, frozenset[str]], list[Rule]] = {}

    def _begins_with(self, rule: Rule) -> frozenset[str] | None:
        names: set[str] = set()
        for symbol in rule.expansion:
            names |= {s.name for s in self._first[symbol]}
            if symbol not in self._nullable:
                return frozenset(names)
        return None

    def __getitem__(self, symbol: Symbol) -> list[Rule]:
        self.left -= 1
        if self.left < 0:
            raise _TooMany
        key = symbol, self.next
        if key not in self._known:
            if len(self._known) > 20_000:
                self._known.clear()
            self._known[key] = [
                rule for rule in super().__getitem__(symbol)
                if (begins := self._begins[rule]) is None or not begins.isdisjoint(self.next)]
        return self._known[key]


class _Forest:
    """The values of a parse forest: all, but equal ones once, at each node."""

    def __init__(self, words: Sequence[SaidWord], build: Build) -> None:
        self.words, self.build = words, build
        self.known: dict[int, list[Any]] = {}
        self.left = MOST_BUILT

    def values(self, node: SymbolNode) -> list[Any]:
        """The values of a symbol; those of a part of a rule are tuples."""
        if id(node) not in self.known:
            self.known[id(node)] = []
            found = {value: None for packed in node.children for value in self._of(packed, node)}
            self.known[id(node)] = list(found)[:MOST_READINGS]
        return self.known[id(node)]

    def _of(self, packed: PackedNode, node: SymbolNode) -> Iterator[Any]:
        rule: Rule = packed.rule
        size = node.s[1] if node.is_intermediate else len(rule.expansion)
        left = self._parts(packed.left, rule, size - 1)
        right = self._right(packed.right, rule, size - 1)
        pairs = itertools.islice(itertools.product(left, right), MOST_COMBINED)
        for parts in (a + b for a, b in pairs):
            self.left -= 1
            if self.left < 0:
                raise _TooMany
            if node.is_intermediate or rule.origin.name.startswith('_'):
                yield parts
                continue
            said = ' '.join(str(w) for w in self.words[node.start:node.end])
            value = self.build(rule.alias or rule.origin.name, parts, said)
            if value is not None:
                yield value

    def _parts(self, node: Any, rule: Rule, size: int) -> list[Any]:
        if node is None:
            return [()]
        if node.is_intermediate:
            return self.values(node)
        return self._right(node, rule, size - 1)

    def _right(self, node: Any, rule: Rule, at: int) -> list[tuple[Any, ...]]:
        if node is None:
            return [()]
        symbol = rule.expansion[at]
        if symbol.is_term:
            hidden = getattr(symbol, 'filter_out', False) or symbol.name.startswith('_')
            token = getattr(node, 'token', node)  # before lark 1.1.6 it is the token itself
            return [() if hidden else (token.meaning(symbol.name),)]
        if symbol.name.startswith('_'):
            return self.values(node)
        return [(value,) for value in self.values(node)]


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The parser of English tasks."""
    grammar = Path(__file__).parent / 'grammar.lark'
    return Parser(grammar.read_text(encoding='utf-8'), Lexicon(LEXICON))
