# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pieces and shapes: hulls, how far they reach, where a line crosses them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from replan_agent.domain.piece import LEAST_M, MOST_CORNERS, Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.shape import reach
from replan_agent.geometry.outlines import outline
from replan_agent.geometry.spans import between_pads, spans
from replan_agent.geometry.support import centre_of_mass, surface_height

POSE = Pose.from_rpy(0.4, 0.1, 0.2, 0.3, -0.5, 1.1)
ORIGIN = Pose((0.0, 0.0, 0.0))
# An L: a bar along x and a shorter one up from its end.
FOOT = Piece.around(box_piece((0.10, 0.02, 0.02)).corners + (0, 0, -0.02))
POST = Piece.around(box_piece((0.02, 0.02, 0.04)).corners + (-0.04, 0, 0.01))


def thing(*pieces: Piece, pose: Pose = ORIGIN) -> SceneObject:
    return SceneObject('it', Shape.IRREGULAR, (0.1, 0.02, 0.06), pose, pieces=pieces)


def test_a_box_of_one_piece_is_measured_like_a_box() -> None:
    size = (0.1, 0.04, 0.02)
    box = SceneObject('box', Shape.BOX, size, POSE)
    piece = SceneObject('it', Shape.IRREGULAR, size, POSE, pieces=(box_piece(size),))
    assert piece.half_extents_in_base() == pytest.approx(box.half_extents_in_base())
    assert (piece.top_z, piece.bottom_z) == pytest.approx((box.top_z, box.bottom_z))
    for x, y in ((0.4, 0.1), (0.42, 0.12), (0.6, 0.1)):
        assert surface_height(piece, x, y) == pytest.approx(surface_height(box, x, y))
    assert box_piece(size).volume == pytest.approx(math.prod(size))


def test_top_and_bottom_of_a_lopsided_thing_are_those_of_its_corners() -> None:
    tipped = thing(FOOT, POST, pose=Pose.from_rpy(0, 0, 0.1, pitch=0.7))
    corners = np.concatenate([p.corners for p in tipped.pieces]) @ tipped.pose.matrix()[:3, :3].T
    assert tipped.top_z == pytest.approx(0.1 + corners[:, 2].max())
    assert tipped.bottom_z == pytest.approx(0.1 + corners[:, 2].min())


def test_the_hollow_of_an_l_is_not_part_of_it() -> None:
    item = thing(FOOT, POST)
    assert surface_height(item, 0.03, 0.0) == pytest.approx(-0.01)
    assert surface_height(item, -0.04, 0.0) == pytest.approx(0.03)
    across = spans(item, np.array([0.0, 0.0, 0.01]), np.array([1.0, 0.0, 0.0]))
    assert across == [pytest.approx((-0.05, -0.03))]


def test_what_is_between_pads_is_neither_outside_them_nor_beside_the_places_asked_for() -> None:
    item, hand = thing(FOOT, POST), Pose((0.0, 0.0, 0.01)).matrix()  # it closes along y
    assert between_pads(item, hand, 0.08) == []  # the hollow
    assert between_pads(item, hand, 0.08, [(0.0, -0.03)]) == [pytest.approx((-0.01, 0.01))]
    hand[1, 3] = 0.05
    assert between_pads(item, hand, 0.06, [(-0.04, 0.0)]) == []
    assert between_pads(item, hand, 0.10, [(-0.04, 0.0)]) == [pytest.approx((-0.06, -0.04))]


def test_the_outline_is_what_is_seen_from_above() -> None:
    turned = thing(FOOT, POST, pose=Pose.from_rpy(0.5, 0.2, 0, yaw=math.pi / 2))
    around = outline(turned)
    assert around.min(axis=0) == pytest.approx((0.49, 0.15))
    assert around.max(axis=0) == pytest.approx((0.51, 0.25))


def test_the_centre_of_mass_weighs_pieces_by_volume() -> None:
    small = Piece.around(box_piece((0.01, 0.01, 0.01)).corners + (0.09, 0, 0))
    large = box_piece((0.02, 0.02, 0.02))
    assert centre_of_mass([small, large]) == pytest.approx((0.09 / 9, 0, 0))


@settings(max_examples=60, deadline=None)
@given(arrays(float, st.tuples(st.integers(1, 12), st.just(3)),
              elements=st.floats(-0.2, 0.2, allow_nan=False)))
def test_any_points_become_a_piece_around_them(points: np.ndarray) -> None:
    piece = Piece.around(points)
    assert piece.volume > 0 and len(piece.vertices) <= MOST_CORNERS
    outside = points @ piece.planes[:, :3].T + piece.planes[:, 3]
    assert outside.max() < 1e-6


def test_a_dense_ball_keeps_its_size_with_fewer_corners() -> None:
    points = np.random.default_rng(0).normal(size=(3000, 3))
    ball = Piece.around(0.05 * points / np.linalg.norm(points, axis=1, keepdims=True))
    assert len(ball.vertices) <= MOST_CORNERS
    assert ball.volume == pytest.approx(4 / 3 * math.pi * 0.05 ** 3, rel=0.12)


@pytest.mark.parametrize(('vertices', 'complaint'), [
    (((0, 0, 0), (1, 0, 0), (0, 1, 0)), '4 or more'),
    (((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 'one plane'),
    (((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, math.nan)), 'finite'),
])  # fmt: skip
def test_corners_without_volume_are_refused(vertices, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        Piece(vertices)


def test_a_flat_thing_becomes_a_millimetre_thick() -> None:
    flat = Piece.around(np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0.1, 0.1, 0]]))
    assert np.ptp(flat.corners[:, 2]) == pytest.approx(LEAST_M)


def test_only_an_irregular_object_has_pieces() -> None:
    with pytest.raises(ValueError, match='irregular'):
        SceneObject('it', Shape.BOX, (0.1, 0.1, 0.1), POSE, pieces=(FOOT,))
    with pytest.raises(ValueError, match='irregular'):
        SceneObject('it', Shape.IRREGULAR, (0.1, 0.1, 0.1), POSE)


def test_reach_is_the_farthest_corner_in_each_direction() -> None:
    directions = np.random.default_rng(1).normal(size=(20, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    corners = np.concatenate([FOOT.corners, POST.corners])
    assert reach(thing(FOOT, POST), directions) == pytest.approx((directions @ corners.T).max(1))
