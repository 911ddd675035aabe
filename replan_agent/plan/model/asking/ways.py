# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ways to ask a model for a plan, how the one that works is found, and the picture to it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from replan_agent.agent.ports import Snapshot
from replan_agent.domain import chat
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene

from .. import prompts
from .answer_schema import FIELDS, plan_schema
from .compact_prompt import compact_situation, compact_system, compact_tools, plan_again

AUTO, FULL, COMPACT = 'auto', 'full', 'compact'
AS_JSON = """
There are no tools to call here. Write the calls as one JSON object and nothing else: {"goals": \
[...], "steps": [{"skill": "...", and its arguments}, ...]}. "goals" is what set_goal takes, each \
other call is one of the steps. The calls, as JSON:
"""


class Way(str, Enum):
    """How a plan is asked for."""

    TOOLS = 'tools'
    JSON_SCHEMA = 'json_schema'
    JSON = 'json'
    TEXT = 'text'

    @property
    def answer(self) -> str:
        """How to answer, in words for the model."""
        return prompts.CALLS_ONLY if self is Way.TOOLS else 'Answer with one JSON object only'

    @property
    def again(self) -> str:
        return prompts.CALL_AGAIN if self is Way.TOOLS else 'Answer with one JSON object again'


WAYS = tuple(Way)
# What servers say when they refuse. A refusal without such words has another cause.
_TOOLS = re.compile(r'\b(tool|function)', re.IGNORECASE)
_FORM = re.compile(r'response_format|json_schema|json_object|schema|grammar', re.IGNORECASE)
_PICTURES = re.compile(r'image|multi-?modal|vision', re.IGNORECASE)
_TOO_LONG = re.compile(r'context (size|length|window)|too many tokens|prompt is too long',
                       re.IGNORECASE)
REFUSALS = {Way.TOOLS: _TOOLS, Way.JSON_SCHEMA: _FORM, Way.JSON: _FORM}
# A server may refuse with 400, 404 or 500, or with an error in a stream.
REFUSED = frozenset({chat.ModelFailure.BAD_REQUEST, chat.ModelFailure.NOT_FOUND,
                     chat.ModelFailure.SERVER_ERROR, chat.ModelFailure.NOT_A_COMPLETION})
# Of these, what is also a refusal where it worked before. The others are then a trouble that
# passes, whatever words they have.
SURELY_REFUSED = frozenset({chat.ModelFailure.BAD_REQUEST, chat.ModelFailure.NOT_FOUND})


class Notes(Protocol):
    """What was found out about a model earlier."""

    def read(self) -> tuple[str, bool] | None:
        """The way that works and whether the model takes pictures; None if it is not known."""

    def write(self, way: str, pictures: bool) -> None: ...


@dataclass(frozen=True)
class Opening:
    """The first messages, the tools that go with them, and the form of the reply.

    `calls` are all calls that the answer may have, also where no tools are sent.
    """

    messages: list[chat.ChatMessage]
    calls: tuple[chat.ToolSpec, ...]
    tools: tuple[chat.ToolSpec, ...] = ()
    form: chat.ReplyForm | None = None

    @property
    def has_picture(self) -> bool:
        return any(isinstance(part, chat.ImagePart) for message in self.messages
                   for part in message.parts)


class Asking:
    """Asks in one way, or finds the way that works (`auto`).

    `prompt` is full or compact; auto: full with tools, compact without. `asks`: the model may
    answer with a question. `suggests`: the full prompt asks for a suggested plan, too.
    """

    def __init__(self, mode: str = Way.TOOLS.value, prompt: str = FULL, asks: bool = False,
                 notes: Notes | None = None, suggests: bool = True) -> None:
        known = notes.read() if notes and mode == AUTO else None
        self._finds_out = mode == AUTO
        self.way = Way(known[0]) if known else WAYS[0] if mode == AUTO else Way(mode)
        self.pictures = known[1] if known else True
        self.asks = asks
        self._suggests = suggests
        self._prompt = prompt
        self._is_proved = known is not None
        self._has_seen = False  # a picture: the model has answered a question with one
        self._notes = notes

    def opening(self, request: PlanRequest, picture: bytes | None, viewpoint: str,
                meaning: Sequence[Goal] = (), fields: Sequence[str] = FIELDS) -> Opening:
        """What the model is asked. `meaning`: the goals in the task's words, if they are clear.

        `fields`: the parts of an answer in JSON.
        """
        calls = prompts.tools(request.skills, self.asks, self._suggests)
        has_tools = self.way is Way.TOOLS
        if self._prompt == COMPACT or (self._prompt == AUTO and not has_tools):
            messages = prompts.opening(
                request, picture, viewpoint,
                compact_system(request, has_tools, self.asks, fields),
                compact_situation(request, viewpoint, meaning))
            messages += [plan_again(request)] if request.prior_attempts else []
            tools = compact_tools(request, [c for c in calls if c.name != prompts.SUGGEST_PLAN])
        else:
            system = prompts.system_text(self._suggests)
            system += '' if has_tools else AS_JSON + json.dumps([call.as_dict() for call in calls])
            messages, tools = prompts.opening(request, picture, viewpoint, system), calls
        return Opening(messages, calls, tools if has_tools else (), self._form(request, fields))

    def _form(self, request: PlanRequest, fields: Sequence[str]) -> chat.ReplyForm | None:
        if self.way is Way.JSON_SCHEMA:
            return chat.ReplyForm('plan', plan_schema(request, self.asks, fields))
        return chat.ReplyForm('plan') if self.way is Way.JSON else None

    def after_error(self, error: chat.ModelError, sent_picture: bool) -> str:
        """What was found out from a refusal; '' if the error says nothing about the way."""
        if error.reason not in REFUSED:
            return ''
        said, is_sure = error.server_said, error.reason in SURELY_REFUSED
        if sent_picture and _PICTURES.search(said) and (is_sure or not self._has_seen):
            self.pictures = False
            if self._is_proved:
                self._note()
            return f'the model takes no pictures, and plans without from now on ({said})'
        if self._is_proved and not is_sure:
            return ''
        refusal = REFUSALS.get(self.way)
        too_long = self._prompt == AUTO and self.way is Way.TOOLS and _TOO_LONG.search(said)
        if too_long or (refusal is not None and refusal.search(said)):
            return self._next(f'the server refuses {self.way.value} ({said})')
        return ''

    def after_reply(self, said: chat.ChatReply, has_plan: bool, sent_picture: bool = False) -> str:
        """What was found out from a reply; '' if it came in the way that was asked for."""
        self._has_seen = self._has_seen or sent_picture
        if said.tool_calls if self.way is Way.TOOLS else has_plan:
            if not self._is_proved:
                self._is_proved = True
                self._note()
            return ''
        if self._is_proved:
            return ''  # a slip: the model can do it
        why = ('called no tool' if self.way is Way.TOOLS else
               f'gave no plan when asked for {self.way.value}')
        return self._next(f'the model {why}')

    def _next(self, why: str) -> str:
        if not self._finds_out or self.way is WAYS[-1]:
            return ''
        self.way, self._is_proved = WAYS[WAYS.index(self.way) + 1], False
        return f'{why}; plans are asked for as {self.way.value} from now on (vlm.mode sets it)'

    def _note(self) -> None:
        if self._notes is not None and self._finds_out:
            self._notes.write(self.way.value, self.pictures)


def picture_of(snapshot: Snapshot | None, scene: Scene, ctx: Context, warnings: list[str]
               ) -> bytes | None:
    """What the camera sees now; None, with a warning, if there is no picture."""
    if snapshot is None:
        return None
    try:
        return snapshot(scene, ctx)
    except PerceptionError as error:
        warnings.append(f'planned without a picture: {error}')
        return None
