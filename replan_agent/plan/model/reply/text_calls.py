# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tool calls that a model wrote into its text instead of calling the tools."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replan_agent.domain.chat import MOST_CALLS, ToolCall, ToolSpec
from replan_agent.text.loose_json import loose_json, values_in

from ..prompts import NOTES, SET_GOAL

LONGEST_CALL = 2000  # characters
NAMES = ('name', 'tool', 'skill', 'function', 'action', 'tool_name', 'function_name', 'skill_name',
         'recipient_name')
ARGUMENTS = ('arguments', 'args', 'parameters', 'params', 'input', 'action_input', 'tool_input',
             'kwargs')
LISTS = ('plan', 'steps', 'answer', 'tool_calls', 'tool_uses', 'actions', 'calls', 'skills',
         'tools')
GOALS = ('goals', 'goal')
_THOUGHTS = re.compile(r'<(think|thinking|reasoning)>.*?(</\1>|\Z)', re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r'^[\s>*`-]*(?:\(?\d+[.):]\s*)?(?:step\s+\d+\s*:\s*)?[`*]*'
                   r'(?P<call>[A-Za-z_]\w*\(.*\))[`*;,.]*\s*$', re.IGNORECASE)
_REFUSAL = re.compile(r"\W*(?:(?:i['’]?m|i am) (?:very )?(?:sorry|unable)|sorry|as an ai"
                      r"|i can['’]?t|i cannot|i won['’]?t)\b", re.IGNORECASE)


class TwoPlans(ValueError):
    """The text has more than one plan. The message says so to the model."""


def calls_in_text(text: str, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """The calls in a text; empty if it is only prose. Raises TwoPlans.

    Thoughts before the answer (`<think>`) do not count. Several single calls are one plan.
    Several lists of calls may be alternatives, and nobody can tell which one is meant.
    """
    spoken = without_thoughts(text)
    reader = _Reader(tools)
    blocks = [calls for _, value in values_in(spoken) if (calls := reader.calls(value))]
    if len(blocks) > 1 and any(sum(_plain(call.name) != _plain(SET_GOAL) for call in calls) > 1
                               for calls in blocks):
        raise TwoPlans('There is more than one plan in that text.')
    calls = [call for calls in blocks for call in calls] or list(reader.lines(spoken))
    return tuple(calls[:MOST_CALLS])


def unfolded(calls: Sequence[ToolCall], tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """The calls, where one of an unknown tool may hold a whole plan in its arguments."""
    reader, found = _Reader(tools), []
    for call in calls:
        inner = [] if reader.knows(call.name) else reader.calls(dict(call.arguments))
        found += inner or [call]
    return tuple(found[:MOST_CALLS])


def is_refusal_in_prose(text: str) -> bool:
    """Whether a text without a plan begins by saying no."""
    return _REFUSAL.match(without_thoughts(text)) is not None


def without_thoughts(text: str) -> str:
    return _THOUGHTS.sub(' ', text)


class _Reader:
    """Reads values as calls of the tools. Names may differ in case and in signs."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {_plain(tool.name): tool for tool in tools}

    def knows(self, name: str) -> bool:
        return _plain(name) in self._tools

    def calls(self, value: Any) -> list[ToolCall]:
        """The calls in a value; empty if no known tool is in it."""
        found = list(self._read(value))
        return found if any(self.knows(call.name) for call in found) else []

    def lines(self, text: str) -> Iterator[ToolCall]:
        """Calls that stand alone on a line, such as `1. pick(object="red_cube")`."""
        for line in text.splitlines():
            match = _LINE.match(line)
            call = self._written(match['call']) if match else None
            if call is not None:
                yield call

    def _read(self, value: Any, depth: int = 0) -> Iterator[ToolCall]:
        if depth > 6:
            return
        if isinstance(value, str):
            call = self._written(value.strip())
            if call is not None:
                yield call
        elif isinstance(value, list):
            for item in value:
                yield from self._read(item, depth + 1)
        elif isinstance(value, dict):
            yield from self._read_object(value, depth)

    def _read_object(self, value: dict[str, Any], depth: int) -> Iterator[ToolCall]:
        call = _named(value)
        if call is not None:
            yield self._written(call.name) or call if '(' in call.name else call
            return
        for key, inner in value.items():
            if key.lower() in GOALS and isinstance(inner, (list, dict)):
                yield ToolCall(SET_GOAL, {'goals': inner})
            elif self.knows(key) and isinstance(inner, dict):
                yield ToolCall(key, inner)  # {"pick": {"object": "red_cube"}}
            elif self.knows(key) and inner in (None, True, ''):
                yield ToolCall(key, {})  # {"done": true}
            elif key.lower() in (*LISTS, *NAMES):
                yield from self._read(inner, depth + 1)

    def _written(self, text: str) -> ToolCall | None:
        """A call written as in Python; None if it is no call of a known tool."""
        if len(text) > LONGEST_CALL:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', SyntaxWarning)  # of wrong escapes
                node = ast.parse(text, mode='eval').body
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                return None
            given = {key.arg: ast.literal_eval(key.value) for key in node.keywords if key.arg}
            plain = [ast.literal_eval(argument) for argument in node.args]
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        name = node.func.id
        tool = self._tools.get(_plain(name))
        if tool is None:
            return None
        unnamed = dict(zip(tool.arguments.get('properties', {}), plain))
        try:
            return ToolCall(name, loose_json(repr({**unnamed, **given})))
        except ValueError:
            return None


def _named(value: Mapping[str, Any]) -> ToolCall | None:
    """The call that an object names: {"name": "pick", "arguments": {...}}, or much like it."""
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), None)
    if name is None:
        return None
    own = next((key for key in ARGUMENTS if key in value), None)
    given = {k: v for k, v in value.items() if k not in NAMES} if own is None else value[own]
    if isinstance(given, str):
        try:
            given = loose_json(given) if given.strip() else {}
        except ValueError:
            return None
    if given is None:
        given = {}
    if not isinstance(given, dict):
        return None
    return ToolCall(name, {**{k: value[k] for k in NOTES if k in value}, **given})


def _plain(name: str) -> str:
    """A name without case and signs: `Place-On` and `place_on` are the same."""
    return re.sub(r'[\W_]+', '', name.rsplit('.', 1)[-1]).lower()
