# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions that one tool call answers, for models that call no tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from replan_agent.agent.ports import ChatModel
from replan_agent.domain.chat import ChatMessage, ChatReply, ReplyForm, ToolSpec, text_message
from replan_agent.domain.context import Context

from ..reply.text_calls import TwoPlans, calls_in_text
from .ways import AUTO, Notes, Way

AS_CALL = """\
There are no tools to call here. Write one call as one JSON object and nothing else: {"name": \
"...", "arguments": {...}}. The calls to choose from, as JSON:
"""


@dataclass(frozen=True)
class OneCall:
    """A model that is asked in the way that works. Its answer has tool calls, whatever the way."""

    model: ChatModel
    way: Callable[[], Way]

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], ctx: Context,
                 form: ReplyForm | None = None) -> ChatReply:
        way = self.way()
        if way is Way.TOOLS or not tools:
            return self.model.complete(messages, tools, ctx, *(() if form is None else (form,)))
        listed = text_message('system', AS_CALL + json.dumps([t.as_dict() for t in tools]))
        first, *others = messages
        asked = (replace(first, parts=(*first.parts, *listed.parts)), *others)
        schema = {'anyOf': [{
            'type': 'object', 'required': ['name', 'arguments'], 'additionalProperties': False,
            'properties': {'name': {'type': 'string', 'enum': [tool.name]},
                           'arguments': tool.arguments}} for tool in tools]}
        forms = {Way.JSON_SCHEMA: (ReplyForm('call', schema),), Way.JSON: (ReplyForm('call'),)}
        said = self.model.complete(asked, (), ctx, *forms.get(way, ()))
        try:
            return replace(said, tool_calls=said.tool_calls or calls_in_text(said.text, tools))
        except TwoPlans:
            return said


def way_of(mode: str, notes: Notes) -> Callable[[], Way]:
    """The way that is set. With `auto`: the one that the planner has found, else tools."""
    def way() -> Way:
        known = notes.read() if mode == AUTO else (mode, True)
        return Way(known[0]) if known else Way.TOOLS

    return way
