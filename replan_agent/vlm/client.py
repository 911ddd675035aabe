# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ChatModel behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
import os
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain import chat
from replan_agent.domain.config import ConfigError, VLMConfig
from replan_agent.domain.context import Context

from .bounded_http import bounded_client
from .endpoint import endpoint
from .openai_errors import model_error
from .reply import parse_reply
from .wire import CURRENT, Wire

POLL_S = 0.02  # how soon a cancel is noticed
REPORT_S = 5.0  # how often a slow answer is reported
STREAM = {'stream': True, 'stream_options': {'include_usage': True}}


class ChatClient:
    """Talks to the configured endpoint.

    Raises ConfigError if that cannot work: no model name, no key, `openai` not installed.
    """

    def __init__(self, config: VLMConfig, environ: Mapping[str, str] = os.environ) -> None:
        self._config = config
        self._endpoint = endpoint(config, environ)
        self._openai = _import_openai()
        self._connection: Any = None
        self._streams = config.stream

    @property
    def name(self) -> str:
        return self._config.model

    def complete(self, messages: Sequence[chat.ChatMessage], tools: Sequence[chat.ToolSpec],
                 ctx: Context, form: chat.ReplyForm | None = None) -> chat.ChatReply:
        """The model's reply. Raises ModelError; Cancelled and DeadlineExceeded within 0.1 s."""
        request = self._request(messages, tools, form)
        retry = 0
        while True:
            ctx.check()
            ctx.spend_call(f'asking {self.name}')
            streams = self._streams
            try:
                extra = {**(STREAM if streams else {}), **self._endpoint.extra_body}
                return self._reply({**request, 'extra_body': extra}, ctx)
            except chat.ModelError as error:
                if streams and _refuses_stream(error):
                    self._streams = False
                    continue
                if error.reason not in chat.PASSING or retry >= self._config.max_retries:
                    raise
                self._pause(error, retry, ctx)
            retry += 1

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _request(self, messages: Sequence[chat.ChatMessage], tools: Sequence[chat.ToolSpec],
                 form: chat.ReplyForm | None) -> dict[str, Any]:
        config = self._config
        request: dict[str, Any] = {'model': config.model,
                                   'messages': [_message(m) for m in messages]}
        if tools:
            request['tools'] = [_tool(tool) for tool in tools]
        if form is not None:
            request['response_format'] = _response_format(form)
        if config.temperature >= 0:
            request['temperature'] = config.temperature
        if config.max_tokens:
            request['max_tokens'] = config.max_tokens
        return request

    def _reply(self, request: Mapping[str, Any], ctx: Context) -> chat.ChatReply:
        """The reply with the key removed. JSON can write the key in several ways."""
        hide = self._endpoint.without_key
        try:
            reply = parse_reply(self._answer(request, ctx))
        except chat.ModelError as error:
            raise chat.ModelError(error.reason, hide(error.detail.replace('\\/', '/')),
                             error.retry_after, hide(error.server_said)) from None
        calls = tuple(chat.ToolCall(hide(call.name), self._without_key(call.arguments))
                      for call in reply.tool_calls)
        return replace(reply, text=hide(reply.text), tool_calls=calls, model=hide(reply.model),
                       usage=self._without_key(reply.usage))

    def _without_key(self, value: Any) -> Any:
        hide = self._endpoint.without_key
        if isinstance(value, str):
            return hide(value)
        if isinstance(value, list):
            return [self._without_key(v) for v in value]
        if isinstance(value, Mapping):
            return {hide(k): self._without_key(v) for k, v in value.items()}
        return value

    def _answer(self, request: Mapping[str, Any], ctx: Context) -> str:
        """The body of the answer.

        The request runs in its own thread, because a blocking read does not notice a cancel and
        its timeout restarts with every byte.
        """
        answers: queue.Queue[str | chat.ModelError] = queue.Queue()
        wire, started, reported = Wire(), time.monotonic(), 0.0
        threading.Thread(target=self._ask, args=(self._connected(), request, wire, answers),
                         name='model call', daemon=True).start()
        try:
            while True:
                try:
                    answer = answers.get(timeout=POLL_S)
                    break
                except queue.Empty:
                    ctx.check()
                waited = time.monotonic() - started
                self._check_time(wire, waited)
                if waited >= reported + REPORT_S:
                    reported = waited
                    ctx.report(f'{chat.THINKING}: {waited:.0f} s, {wire.tokens} tokens')
        except BaseException:
            wire.cut()  # the server sees it and may stop; the thread ends
            raise
        if isinstance(answer, chat.ModelError):
            raise answer
        return answer

    def _check_time(self, wire: Wire, waited_s: float) -> None:
        """Raise ModelError if the answer has not begun in time, or is not complete in time."""
        host, config = self._endpoint.host, self._config
        if waited_s > config.timeout:
            raise chat.ModelError(chat.ModelFailure.TIMEOUT, f'no complete answer from {host} '
                                  f'within vlm.timeout={config.timeout:g}s')
        if waited_s > config.first_token_timeout and not wire.has_begun:
            raise chat.ModelError(
                chat.ModelFailure.TIMEOUT, f'nothing of an answer from {host} within '
                f'vlm.first_token_timeout={config.first_token_timeout:g}s')

    def _ask(self, connection: Any, request: Mapping[str, Any], wire: Wire,
             answers: queue.Queue[str | chat.ModelError]) -> None:
        CURRENT.set(wire)
        try:
            answer = connection.chat.completions.with_raw_response.create(**request)
            answers.put(self._endpoint.without_key(answer.text))
        except Exception as error:  # noqa: BLE001 the thread's edge: passed on to the caller
            answers.put(model_error(error, self._openai, self._endpoint))

    def _connected(self) -> Any:
        if self._connection is None:
            self._connection = self._openai.OpenAI(
                api_key=self._endpoint.key, base_url=self._endpoint.base_url,
                timeout=self._config.timeout, max_retries=0, http_client=bounded_client(
                    self._openai, self._endpoint, self._config.timeout))
        return self._connection

    def _pause(self, error: chat.ModelError, retry: int, ctx: Context) -> None:
        """Wait as long as the server asks; raise the error again if that is too long."""
        longest = min(self._config.max_retry_wait, ctx.remaining_s())
        asked = error.retry_after
        wait = min(self._config.retry_wait * 2 ** retry, longest) if asked is None else asked
        if wait > longest:
            raise chat.ModelError(error.reason, f'{error.detail}; it asks to wait {wait:g} s, but '
                                  f'at most {max(longest, 0.0):.1f} s are allowed', asked,
                                  error.server_said)
        ctx.cancel.wait(max(wait, 0.0))


def _refuses_stream(error: chat.ModelError) -> bool:
    return error.reason is chat.ModelFailure.BAD_REQUEST and 'stream' in error.server_said.lower()


def _response_format(form: chat.ReplyForm) -> dict[str, Any]:
    if form.schema is None:
        return {'type': 'json_object'}
    return {'type': 'json_schema', 'json_schema': {
        'name': form.name, 'schema': dict(form.schema), 'strict': True}}


def _message(message: chat.ChatMessage) -> dict[str, Any]:
    if message.role == 'user':
        return {'role': 'user', 'content': [_part(part) for part in message.parts]}
    # Not every server accepts a list of parts for the other roles.
    texts = [part.text for part in message.parts if isinstance(part, chat.TextPart)]
    return {'role': message.role, 'content': '\n\n'.join(texts)}


def _part(part: chat.Part) -> dict[str, Any]:
    if isinstance(part, chat.TextPart):
        return {'type': 'text', 'text': part.text}
    data = base64.b64encode(part.data).decode('ascii')
    return {'type': 'image_url', 'image_url': {'url': f'data:{part.mime};base64,{data}'}}


def _tool(tool: chat.ToolSpec) -> dict[str, Any]:
    return {'type': 'function', 'function': {
        'name': tool.name, 'description': tool.description, 'parameters': dict(tool.arguments)}}


def _import_openai() -> Any:
    try:
        import openai  # noqa: PLC0415 takes 0.7 s, and is optional
    except ImportError:
        raise ConfigError('a model needs the openai package: '
                          "pip install 'replan_agent[vlm]'") from None
    return openai
