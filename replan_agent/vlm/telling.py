"""A model whose prompts and replies are told to whoever records the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from replan_agent.domain.chat import ChatMessage, ChatReply, ModelError, ReplyForm, ToolSpec
from replan_agent.domain.context import Context


class Completes(Protocol):
    """The ChatModel of agent.ports. This layer must not import it."""

    @property
    def name(self) -> str: ...

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply: ...


class TellingModel:
    """Passes everything on to a model, and tells each exchange to the context.

    Pictures are told as hash and size. There are no keys in messages and replies.
    """

    def __init__(self, model: Completes) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply:
        told = {'model': self.name, 'messages': [message.as_dict() for message in messages]}
        try:
            reply = self._model.complete(messages, tools, ctx, form)
        except ModelError as error:
            ctx.tell_exchange({**told, 'error': str(error)})
            raise
        ctx.tell_exchange({**told, 'reply': reply.as_dict()})
        return reply
