# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parses the body of a chat completion without trusting any of it."""

from __future__ import annotations

import json
from typing import Any

from replan_agent.domain.chat import MOST_CALLS, ChatReply, ModelError, ModelFailure, ToolCall
from replan_agent.text.json_text import model_json
from replan_agent.text.loose_json import loose_json
from replan_agent.text.shown_text import clipped, one_line, printable

DEEPEST = 20  # levels of tool arguments; more than any skill needs, below any recursion limit
SHOWN = 200  # characters
LONGEST_TEXT = 50_000
LONGEST_ARGUMENT = 5_000
MOST_ITEMS = 1_000
MOST_COUNTS = 50  # entries of `usage`


def parse_reply(body: str) -> ChatReply:
    """The reply in the body of an answer with status 200. Raises only ModelError."""
    try:
        data = model_json(body)
    except ValueError:
        raise ModelError(ModelFailure.NOT_JSON, 'the endpoint answered with something that is not '
                         f'JSON: {_shown(body)}') from None
    choice = _first_choice(data)
    message = choice.get('message')
    if not isinstance(message, dict):
        raise _no_completion('its first choice has no message')
    _check_the_end(choice, message)
    return ChatReply(clipped(_content(message), LONGEST_TEXT), _tool_calls(message),
                     clipped(_text(data.get('model')), SHOWN), _usage(data.get('usage')))


def _first_choice(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _no_completion(f'it is a {type(data).__name__}')
    choices = data.get('choices')
    if not isinstance(choices, list):
        if not data.get('error'):
            raise _no_completion('it has no choices')
        said = _shown(data['error'])
        raise _no_completion(f'error: {said}', said)
    if not choices:
        raise ModelError(ModelFailure.EMPTY_CHOICES, 'the reply has an empty list of choices')
    if not isinstance(choices[0], dict):
        raise _no_completion(f'its first choice is {_shown(choices[0])}')
    return choices[0]


def _check_the_end(choice: dict[str, Any], message: dict[str, Any]) -> None:
    """Raises ModelError unless the reply is complete."""
    refusal = message.get('refusal')
    if refusal:
        raise ModelError(ModelFailure.REFUSAL, _shown(refusal))
    if choice.get('finish_reason') == 'content_filter':
        raise ModelError(ModelFailure.REFUSAL, "the endpoint's content filter removed the reply")
    if choice.get('finish_reason') == 'length':
        raise ModelError(ModelFailure.TRUNCATED, 'the reply was cut off at the maximum length '
                         "(vlm.max_tokens, or the server's own)")


def _content(message: dict[str, Any]) -> str:
    content = message.get('content')
    if isinstance(content, list):
        texts = [part.get('text') for part in content if isinstance(part, dict)]
        return '\n'.join(_text(text) for text in texts if isinstance(text, str))
    return _text(content)


def _tool_calls(message: dict[str, Any]) -> tuple[ToolCall, ...]:
    calls = message.get('tool_calls')
    if calls is None and isinstance(message.get('function_call'), dict):
        calls = [{'function': message['function_call']}]  # as the protocol was before tools
    if calls is None:
        return ()
    if not isinstance(calls, list):
        raise _no_completion(f'its tool_calls are {_shown(calls)}')
    if len(calls) > MOST_CALLS:
        raise _bad_arguments(f'{len(calls)} tool calls in one reply; at most {MOST_CALLS}')
    return tuple(_tool_call(call) for call in calls)


def _tool_call(call: Any) -> ToolCall:
    function = call.get('function') if isinstance(call, dict) else None
    name = function.get('name') if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str):
        raise _bad_arguments(f'a tool call without the name of a tool: {_shown(call)}')
    given = function.get('arguments')
    arguments = _decoded(name, given) if isinstance(given, str) else given
    if arguments is None:
        arguments = {}  # some servers send this for a tool without arguments
    if not isinstance(arguments, dict):
        raise _bad_arguments(f'the arguments of {_shown(name)} must be a JSON object, not '
                             f'{_shown(given)}')
    return ToolCall(_clean(name), _clean(arguments))


def _decoded(name: str, arguments: str) -> Any:
    if not arguments.strip():
        return {}
    try:
        found = loose_json(arguments)
        return loose_json(found) if isinstance(found, str) else found  # encoded twice
    except ValueError:
        raise _bad_arguments(f'the arguments of {_shown(name)} are not JSON: '
                             f'{_shown(arguments)}') from None


def _clean(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        raise _bad_arguments(f'tool arguments nested more than {DEEPEST} levels deep')
    if isinstance(value, str):
        if len(value) > LONGEST_ARGUMENT:
            raise _bad_arguments(f'a text of {len(value)} characters in tool arguments; at most '
                                 f'{LONGEST_ARGUMENT}')
        return _text(value)
    if isinstance(value, (list, dict)) and len(value) > MOST_ITEMS:
        raise _bad_arguments(f'{len(value)} values in one tool argument; at most {MOST_ITEMS}')
    if isinstance(value, list):
        return [_clean(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {_clean(k): _clean(v, depth + 1) for k, v in value.items()}
    return value


def _text(value: Any) -> str:
    return printable(value) if isinstance(value, str) else ''


def _usage(value: Any) -> dict[str, int]:
    counts = list(value.items())[:MOST_COUNTS] if isinstance(value, dict) else ()
    return {clipped(_text(k), SHOWN): v for k, v in counts if type(v) is int}


def _shown(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except RecursionError:
        text = 'something nested too deep to show'
    return one_line(text, SHOWN)


def _no_completion(why: str, said: str = '') -> ModelError:
    return ModelError(ModelFailure.NOT_A_COMPLETION, f'the answer is not a chat completion: {why}',
                      server_said=said)


def _bad_arguments(why: str) -> ModelError:
    return ModelError(ModelFailure.BAD_TOOL_ARGUMENTS, why)
