# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Buttons, knobs and lids in scene files, and what a click feels like."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_contact.furniture import parse_furnished
from replan_agent_contact.pressing import has_clicked

from replan_agent import ConfigError, Scene
from replan_agent.geometry.judging import covers, shut_for


def parsed(**changes):
    return parse_furnished({'furniture': [{
        'name': 'panel', 'size': [0.14, 0.3, 0.1], 'position': [0.5, 0.0], **changes}]}, 'here')


def test_controls_stand_side_by_side_from_the_left():
    _, (first, second) = parsed(buttons=[{'name': 'one'}], knobs=[{'name': 'two'}])
    assert first.closed.position[1] == pytest.approx(-second.closed.position[1])
    assert first.closed.position[1] > 0
    assert (first.words, second.words) == (('pressed', 'released'), ())


@pytest.mark.parametrize(('face', 'out'), [('top', (0, 0, 1)), ('front', (-1, 0, 0))])
def test_a_button_goes_into_its_face(face, out):
    _, (button,) = parsed(buttons=[{'name': 'button', 'face': face}])
    assert button.closed.rotation[:, 2] == pytest.approx(np.array(out))
    assert button.axis == pytest.approx([-v for v in out])
    size = dict(zip('xyz', (0.14, 0.3, 0.1)))['x' if face == 'front' else 'z']
    assert np.dot(button.closed.position, out) - button.size[2] / 2 == pytest.approx(size / 2)


@pytest.mark.parametrize(('changes', 'words'), [
    ({'buttons': [{'name': f'b{k}'} for k in range(11)]}, '0.03 m wide at most'),
    ({'buttons': [{'name': 'b', 'face': 'left'}]}, 'top, front'),
    ({'buttons': [{'name': 'b'}], 'lid': {'name': 'lid'}}, 'absent if there is')])
def test_a_wrong_panel_is_told(changes, words):
    with pytest.raises(ConfigError, match=words):
        parsed(**changes)


def test_a_closed_lid_shuts_its_box_and_does_not_cover_it(furnished_things):
    scene = Scene('base', 0.0, furnished_things('chest'), 'ground_truth')
    assert [o.name for o in shut_for('red_cube', 'chest', scene)] == ['lid']
    assert covers(scene.get('chest'), scene) == []


@pytest.mark.parametrize(('felt', 'clicked'), [
    ((0.0, 3.0, 6.0, 1.0, 9.0), True),  # over the top, then against the stop
    ((0.0, 3.0, 6.0, 9.0, 12.0), False),  # it only gets harder
    ((0.0, 0.9, 0.1, 0.0), False),  # next to nothing
    ((), False)])
def test_a_click_is_a_force_that_falls_at_once(felt, clicked):
    assert has_clicked(felt) is clicked
