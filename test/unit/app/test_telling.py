# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a model is asked and answers is told to the record, without pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from replan_agent.app.run_record import TellingModel
from replan_agent.domain.chat import (
    ChatMessage,
    ChatReply,
    ImagePart,
    ModelError,
    ModelFailure,
    TextPart,
)
from replan_agent.domain.context import Context

ASKED = (ChatMessage('user', (TextPart('what now?'), ImagePart(b'pixels'))),)


class StandIn:
    name = 'stand_in'

    def __init__(self, answer: ChatReply | ModelError) -> None:
        self._answer = answer

    def complete(self, *given: Any) -> ChatReply:
        if isinstance(self._answer, ModelError):
            raise self._answer
        return self._answer


def test_a_prompt_and_its_reply_are_told() -> None:
    told: list[Mapping[str, Any]] = []
    ctx = Context(tell_exchange=told.append)
    assert TellingModel(StandIn(ChatReply('go home'))).complete(ASKED, (), ctx).text == 'go home'
    (exchange,) = told
    text, picture = exchange['messages'][0]['content']
    assert exchange['model'] == 'stand_in' and exchange['reply']['text'] == 'go home'
    assert text['text'] == 'what now?' and picture['bytes'] == 6 and 'data' not in picture


def test_a_call_that_fails_is_told_too() -> None:
    told: list[Mapping[str, Any]] = []
    model = TellingModel(StandIn(ModelError(ModelFailure.TIMEOUT, 'too slow')))
    with pytest.raises(ModelError):
        model.complete(ASKED, (), Context(tell_exchange=told.append))
    assert told[0]['error'] == 'timeout: too slow'
