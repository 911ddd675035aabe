# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model finds patches of colour in the picture that it is sent, over real HTTP."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from replan_agent_bench.scripted.scripted_pointing import find_patches
from replan_agent_bench.scripted.scripted_server import FakeModelServer

from replan_agent.domain.chat import ChatMessage, ImagePart, TextPart, ToolSpec
from replan_agent.domain.context import Context

WOOD, YELLOW, RED = (199, 161, 117), (245, 199, 36), (214, 41, 33)
TOOLS = [ToolSpec('point_at', 'where', {'type': 'object'})]


def table(yellow_bar=True):
    rgb = np.full((240, 320, 3), WOOD, np.uint8)
    cv2.circle(rgb, (60, 80), 12, YELLOW, cv2.FILLED)
    if yellow_bar:
        cv2.rectangle(rgb, (150, 100), (230, 120), YELLOW, cv2.FILLED)
    cv2.circle(rgb, (250, 200), 15, RED, cv2.FILLED)
    return rgb


def asked(server, client, what, rgb):
    png = cv2.imencode('.png', rgb[..., ::-1])[1].tobytes()
    question = ChatMessage('user', (TextPart(f'Where is this object: {what!r}?'), ImagePart(png)))
    reply = client(server).complete([question], TOOLS, Context())
    (call,) = reply.tool_calls
    return call.name, dict(call.arguments)


@pytest.mark.parametrize(('what', 'box'), [
    ('the lemon', [48, 68, 73, 93]), ('the banana', [150, 100, 231, 121]),
    ('the tomato', [235, 185, 266, 216]), ('the red thing', [235, 185, 266, 216]),
    ('the yellow block', [150, 100, 231, 121]),
])
def test_it_finds_things_by_their_colour_and_roundness(what, box, make_server, make_client):
    name, arguments = asked(make_server(kind=FakeModelServer), make_client, what, table())
    assert name == 'point_at'
    assert arguments['box'] == pytest.approx(box, abs=1)


@pytest.mark.parametrize(('what', 'reason'), [
    ('the plum', 'nothing in the picture is purple'), ("the cook's mug", 'does not know')])
def test_it_says_when_it_sees_nothing_of_the_kind(what, reason, make_server, make_client):
    name, arguments = asked(make_server(kind=FakeModelServer), make_client, what, table())
    assert name == 'not_visible' and reason in arguments['reason']


def test_specks_and_the_table_are_no_patches():
    rgb = table(yellow_bar=False)
    rgb[10:13, 10:13] = YELLOW
    assert [(p.left, p.top) for p in find_patches(rgb, 'yellow')] == [(48, 68)]
    assert find_patches(rgb, 'orange') == []
