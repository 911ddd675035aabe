# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Boards with holes in scene files, and the way a search by feel goes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from replan_agent_contact.contact_motion import spiral
from replan_agent_contact.furniture import parse_furnished
from replan_agent_contact.ring import depth_m, opening_m

from replan_agent import ConfigError


def parsed(*holes, **changes):
    return parse_furnished({'furniture': [{
        'name': 'board', 'size': [0.1, 0.2, 0.05], 'position': [0.5, 0.0], 'holes': list(holes),
        **changes}]}, 'here')


def test_a_board_is_solid_but_for_its_holes():
    scene, parts = parsed({'name': 'one', 'size': 0.02}, {'name': 'two'})
    board, one, two = scene.objects
    assert not parts and one.position[1] > 0 > two.position[1]
    hollow = sum(math.prod(hole.size) for hole in (one, two))
    assert sum(piece.volume for piece in board.pieces) == pytest.approx(
        math.prod(board.size) - hollow)


def test_a_hole_opens_at_the_top_of_its_board(furnished_things):
    board, hole = (next(o for o in furnished_things('board') if o.name == name)
                   for name in ('board', 'hole'))
    assert hole.top_z == pytest.approx(board.top_z, abs=0.001)
    assert opening_m(hole) == pytest.approx(0.024) and depth_m(hole) == pytest.approx(0.03)
    assert hole.can_be('filled') and hole.states.now == ''


@pytest.mark.parametrize(('hole', 'words'), [
    ({'name': 'wide', 'size': 0.1}, 'm wide'), ({'name': 'deep', 'depth': 0.05}, 'm deep'),
    ({'name': 'board'}, 'taken'), ({'size': 0.02}, 'name')])
def test_a_wrong_hole_is_told(hole, words):
    with pytest.raises(ConfigError, match=words):
        parsed(hole)


@pytest.mark.parametrize('step', [0.0005, 0.0014])
def test_a_spiral_leaves_no_place_out(step):
    points = np.array(list(spiral(step, 0.005)))
    assert np.hypot(*points.T).max() <= 0.005 and tuple(points[0]) == (0.0, 0.0)
    for place in np.random.default_rng(1).uniform(-0.003, 0.003, (200, 2)):
        assert np.linalg.norm(points - place, axis=1).min() < step
