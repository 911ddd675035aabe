# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pointer: a model names pixels, geometry finds the thing; every bad answer is an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from replan_agent_pointing.pointer import VLMPointer, slug
from synthetic import StillRobot, box, cylinder, picture

from replan_agent.arms.franka import PANDA
from replan_agent.domain.chat import ChatReply, ImagePart, ModelError, ModelFailure, ToolCall
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.perceive.camera.one_look import look
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks.fusing import NOT_IN_PICTURE

MUG = cylinder(0.5, 0.1, 0.06, 0.08, 'white')
FRAME = picture(MUG, box(0.5, -0.1), box(0.6, 0.2, colour='blue'))


class Model:
    """Answers every question alike and remembers it."""

    name = 'scripted'

    def __init__(self, reply):
        self.reply = reply

    def complete(self, messages, tools, ctx):
        self.messages, self.tools = messages, tools
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def calling(tool, **arguments):
    return ChatReply(tool_calls=(ToolCall(tool, arguments),))


def located(reply, what='the white mug', frame=FRAME, except_for=()):
    """What is found where the model points; `except_for`: fits too uncertain to report."""
    model, robot = Model(reply), StillRobot()
    shown = look(View(frame), PANDA, robot.joints, robot.width, 0.0)
    reported = [f for i, f in enumerate(shown.fits) if i not in except_for]
    return VLMPointer(model).find(what, shown.picture, reported, 0.0, Context()).thing, model


def pixel(point):
    u, v, _ = View(FRAME).project(np.array([point]))[0]
    return [float(u), float(v)]


def box_around(thing, grow=0.0):
    half = np.array(thing.size) / 2 + grow
    corners = [np.array(thing.position) + half * s for s in np.ndindex(2, 2, 2)
               for s in [2 * np.array(s) - 1]]
    uv = View(FRAME).project(np.array(corners))[:, :2]
    return [*map(float, uv.min(axis=0)), *map(float, uv.max(axis=0))]


@pytest.mark.parametrize('answer', [
    {'point': pixel(MUG.position)}, {'box': box_around(MUG)}, {'box': box_around(MUG, 0.004)},
    {'box': box_around(MUG)[2:] + box_around(MUG)[:2]},
], ids=['point', 'box', 'loose box', 'box backwards'])
def test_the_centre_is_found_and_not_the_point_on_the_surface(answer):
    found, _ = located(calling('point_at', **answer))
    assert found.position == pytest.approx(MUG.position, abs=0.003)
    assert found.size == pytest.approx(MUG.size, abs=0.004)


def test_a_point_a_little_beside_the_thing_still_means_it():
    left, _, _, bottom = box_around(MUG)
    found, _ = located(calling('point_at', point=[left - 5, bottom - 20]))
    assert found.position == pytest.approx(MUG.position, abs=0.003)


def test_a_box_around_part_of_a_thing_means_the_whole_thing():
    left, top, right, bottom = box_around(MUG)
    found, _ = located(calling('point_at', box=[left, top, right, top + 0.4 * (bottom - top)]))
    assert found.position == pytest.approx(MUG.position, abs=0.003)


def test_what_was_too_uncertain_to_be_reported_is_fitted_where_the_model_points():
    found, _ = located(calling('point_at', box=box_around(MUG, 0.004)), except_for=range(3))
    assert found.position == pytest.approx(MUG.position, abs=0.003)
    with pytest.raises(PerceptionError, match='there is nothing on the table'):
        located(calling('point_at', point=pixel(MUG.position)), except_for=range(3))


@pytest.mark.parametrize(('words', 'name'), [
    ('the white mug', 'white_mug'), ('A  lemon!', 'lemon'), ('the', 'thing')])
def test_a_description_becomes_a_name(words, name):
    assert slug(words) == name


def test_the_model_gets_the_picture_its_size_and_the_description():
    _, model = located(calling('point_at', point=pixel(MUG.position)))
    text, image = model.messages[-1].parts
    assert 'white mug' in text.text and '640' in text.text and '480' in text.text
    assert isinstance(image, ImagePart) and image.data.startswith(b'\x89PNG')


@pytest.mark.parametrize(('reply', 'words'), [
    (calling('not_visible', reason='there is only fruit'), 'only fruit'),
    (ChatReply(text='It is on the left.'), 'on the left'),
    (ChatReply(), 'nothing'),
    (calling('grab'), 'grab'),
    (calling('point_at'), 'neither a box nor a point'),
    (calling('point_at', point=[1]), 'neither'),
    (calling('point_at', point=['1', 2]), 'neither'),
    (calling('point_at', point=[float('nan'), 3]), 'neither'),
    (calling('point_at', point=[True, False]), 'neither'),
    (calling('point_at', point=[10 ** 400, 3]), 'neither'),
    (calling('point_at', box=[1, 2, 3, -10 ** 400]), 'neither'),
    (calling('point_at', point=[900, 20]), 'outside the picture'),
    (calling('point_at', box=[-50, -50, -10, -10]), 'outside the picture'),
    (calling('point_at', point=pixel((0.45, 0.35, 0.0))), 'there is nothing on the table'),
    (ModelError(ModelFailure.TIMEOUT, 'no answer within 5 s'), 'no answer within 5 s'),
])
def test_any_other_answer_is_a_perception_error_that_says_what_it_was(reply, words):
    with pytest.raises(PerceptionError, match=words):
        located(reply)


@pytest.mark.parametrize('reply', [
    calling('not_visible', reason='x' * 300_000), calling('not_visible', reason=['x'] * 9999),
    calling('x' * 9999), ChatReply(text='x' * 9999), calling('point_at', point='x' * 9999),
], ids=['reason', 'list', 'name', 'text', 'point'])
def test_not_much_of_a_long_answer_is_told(reply):
    with pytest.raises(PerceptionError) as caught:
        located(reply)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize('answer', [
    {'point': pixel(MUG.position)}, {'box': box_around(MUG)}], ids=['point', 'box'])
def test_a_thing_that_only_another_camera_sees_is_not_what_the_model_points_at(answer):
    shown = look(View(FRAME), PANDA, StillRobot().joints, 0.08, 0.0)
    fits = [replace(shown.fits[0], segment=NOT_IN_PICTURE), *shown.fits]
    found = VLMPointer(Model(calling('point_at', **answer))).find(
        'the white mug', shown.picture, fits, 0.0, Context())
    assert found.thing.position == pytest.approx(MUG.position, abs=0.003)
