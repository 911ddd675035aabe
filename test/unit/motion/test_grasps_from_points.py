# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grasps from points: where pads hold, what blocks fingers and palm, and the order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replan_agent.arms.franka import PANDA
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.grasping.grasps_from_points import grasps_from_points, narrowest
from replan_agent.motion.grasping.surface_points import SurfacePoints, surface_of
from replan_agent.motion.motion_protocols import Grasp, GraspKind

GRASPS = AnyGrasps(PANDA.hand)
EMPTY = Scene('s', 0.0, (), 'test')


def block(size: tuple[float, float, float], x: float = 0.0, y: float = 0.0,
          z: float = 0.0) -> Piece:
    return Piece.around(box_piece(size).corners + (x, y, z))


def thing(*pieces: Piece, yaw: float = 0.0) -> SceneObject:
    """A thing of these pieces that lies on the table."""
    corners = np.concatenate([piece.corners for piece in pieces])
    x, y, z = np.ptp(corners, axis=0)
    return SceneObject('it', Shape.IRREGULAR, (float(x), float(y), float(z)),
                       Pose.from_rpy(0.5, 0.1, -float(corners[:, 2].min()), yaw=yaw),
                       pieces=pieces)


def found(item: SceneObject) -> list[Grasp]:
    return list(GRASPS.candidates(item, EMPTY))


def closing(grasp: Grasp) -> np.ndarray:
    return grasp.tcp.matrix()[:3, 1]


def tips(grasp: Grasp) -> np.ndarray:
    """The corners of the open finger tips in the base frame."""
    T = grasp.tcp.matrix()
    own = [(x, side * (grasp.opening / 2 + thick), PANDA.hand.tip_beyond_tcp_m)
           for x in (-0.0105, 0.0105) for side in (1, -1) for thick in (0, 0.014)]
    return np.array(own) @ T[:3, :3].T + T[:3, 3]


@pytest.mark.parametrize('yaw', [0.0, 0.7])
def test_a_bar_is_taken_across_its_narrow_side_at_its_middle(yaw):
    best = found(thing(block((0.15, 0.03, 0.03)), yaw=yaw))[0]
    assert abs(closing(best) @ (-math.sin(yaw), math.cos(yaw), 0)) > 0.99
    assert best.kind is GraspKind.TOP_DOWN and best.width == pytest.approx(0.03, abs=0.001)
    assert best.tcp.position[:2] == pytest.approx((0.5, 0.1), abs=0.012)


def test_a_hammer_is_taken_near_its_head_where_its_weight_is():
    hammer = thing(block((0.20, 0.02, 0.02), -0.1), block((0.04, 0.09, 0.04), 0.02, 0, 0.01))
    best = found(hammer)[0]
    assert best.tcp.position[0] - 0.5 > -0.07


def test_an_h_is_not_taken_where_its_legs_block_the_fingers():
    """The gap beside the middle bar is narrower than a finger."""
    legs = [block((0.02, 0.12, 0.03), side * 0.016) for side in (-1, 1)]
    middle = block((0.02, 0.012, 0.03))
    for grasp in found(thing(*legs, middle)):
        assert grasp.width > 0.015  # never the 12 mm of the bar between the legs


def test_no_grasp_puts_a_finger_into_the_thing_or_the_table():
    item = thing(block((0.12, 0.03, 0.03), 0, 0.035), block((0.03, 0.08, 0.03), 0, -0.02))
    grasps = found(item)
    assert grasps
    for grasp in grasps:
        corners = tips(grasp)
        assert corners[:, 2].min() > 0.0015
        own = (corners - item.position) @ item.pose.matrix()[:3, :3]
        for piece in item.pieces:
            assert np.all((own @ piece.planes[:, :3].T + piece.planes[:, 3]).max(axis=1) > 0)


def test_the_palm_stays_above_what_is_tall():
    item = thing(block((0.04, 0.04, 0.14)))
    for grasp in (g for g in found(item) if g.kind is GraspKind.TOP_DOWN):
        assert grasp.tcp.position[2] + PANDA.hand.palm_above_tcp_m >= 0.14 - 0.002


def test_a_thin_wall_is_taken_across_with_one_finger_inside():
    walls = [block((0.1, 0.005, 0.08), 0, side * 0.0475) for side in (1, -1)]
    ends = [block((0.005, 0.09, 0.08), side * 0.0475) for side in (1, -1)]
    grasps = found(thing(*walls, *ends))
    assert grasps and max(grasp.width for grasp in grasps) < 0.02


def test_something_too_wide_everywhere_has_no_grasp_and_says_how_wide():
    item = thing(block((0.11, 0.12, 0.1)))
    assert not found(item)
    assert GRASPS.narrowest_width(item) == pytest.approx(0.1, abs=0.002)


def test_something_flat_on_the_table_has_no_grasp_although_it_is_narrow():
    item = thing(block((0.1, 0.04, 0.002)))
    assert not found(item) and GRASPS.narrowest_width(item) < 0.04


def test_a_ball_is_taken_through_its_middle():
    directions = np.random.default_rng(0).normal(size=(400, 3))
    item = thing(Piece.around(0.025 * directions / np.linalg.norm(directions, axis=1)[:, None]))
    best = found(item)[0]
    assert best.width == pytest.approx(0.05, abs=0.004)
    assert best.tcp.position == pytest.approx(item.position, abs=0.01)


def test_both_ways_to_turn_the_hand_are_offered():
    first, second = found(thing(block((0.15, 0.03, 0.03))))[:2]
    assert closing(first) == pytest.approx(-closing(second))
    assert first.tcp.position == second.tcp.position and first.score == second.score


def test_tiers_rise_and_scores_fall():
    grasps = found(thing(block((0.15, 0.03, 0.03)), block((0.03, 0.1, 0.03), 0.07)))
    assert [g.tier for g in grasps] == sorted(g.tier for g in grasps)
    assert [g.score for g in grasps] == sorted((g.score for g in grasps), reverse=True)
    assert max(g.tier for g in grasps) >= 1 and 'centre of mass' in grasps[0].label


def test_points_from_a_camera_serve_as_well():
    """Only what is seen from above: the two long sides and the top."""
    seen = surface_of(thing(block((0.15, 0.03, 0.03))))
    kept = np.abs(seen.normals[:, 0]) + np.maximum(0, -seen.normals[:, 2]) < 0.5
    noise = np.random.default_rng(0).normal(0, 0.0005, seen.points.shape)
    cloud = SurfacePoints(seen.points[kept] + noise[kept], seen.normals[kept], seen.centre,
                          seen.spacing)
    best = grasps_from_points(cloud, support_z=0.0, hand=PANDA.hand)[0]
    assert abs(closing(best)[1]) > 0.99 and best.width == pytest.approx(0.03, abs=0.003)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 80), st.integers(0, 1000), st.floats(0.001, 0.3))
def test_any_cloud_gives_grasps_within_the_gripper_or_none(count, seed, spread):
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    cloud = SurfacePoints(rng.normal(size=(count, 3)) * spread, normals, np.zeros(3), 0.004)
    assert narrowest(cloud) > 0
    for grasp in grasps_from_points(cloud, support_z=-spread, hand=PANDA.hand):
        assert 0 < grasp.width < grasp.opening <= PANDA.hand.max_width_m
        assert np.all(np.isfinite(grasp.tcp.matrix())) and math.isfinite(grasp.score)


def test_surfaces_inside_the_thing_have_no_points():
    halves = thing(block((0.05, 0.03, 0.03), 0.025), block((0.05, 0.03, 0.03), -0.025))
    cloud = surface_of(halves)
    inner = (np.abs(cloud.points[:, 0] - 0.5) < 0.01) & (np.abs(cloud.normals[:, 0]) > 0.5)
    assert not inner.any() and len(cloud.points) > 200


def test_shapes_keep_their_own_grasps():
    cube = SceneObject('cube', Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.02)))
    assert all(grasp.width == 0.04 for grasp in found(cube))


def guessed(piece: Piece) -> Piece:
    return Piece(piece.vertices, guessed=True)


def test_no_grasp_rests_on_guessed_surfaces_alone():
    """The knob is only guessed, and the slab below it is too wide."""
    slab, knob = block((0.12, 0.12, 0.02)), block((0.03, 0.03, 0.04), z=0.03)
    assert found(thing(slab, knob))
    assert not found(thing(slab, guessed(knob)))


def test_a_grasp_between_seen_surfaces_is_better_than_one_on_a_guess():
    """Half of the bar is guessed: along it both pads are on what was seen."""
    halves = block((0.06, 0.02, 0.03), y=0.01), block((0.06, 0.02, 0.03), y=-0.01)
    best = found(thing(halves[0], guessed(halves[1])))[0]
    assert abs(closing(best)[0]) > 0.9
    assert abs(closing(found(thing(*halves))[0])[1]) > 0.9


def test_what_is_guessed_keeps_fingers_away_only_if_there_is_another_grasp():
    bar, beside = block((0.12, 0.03, 0.03)), block((0.12, 0.05, 0.03), y=0.04)
    last = found(thing(bar, guessed(beside)))[-1]
    assert 'if nothing is hidden' in last.label and last.width == pytest.approx(0.03, abs=0.002)


def pot() -> SceneObject:
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    body = np.array([(0.12 * math.cos(a), 0.12 * math.sin(a), z) for a in turns
                     for z in (-0.07, 0.07)])
    return thing(Piece.around(body), *(block((0.03, 0.02, 0.012), x, 0.0, 0.04)
                                       for x in (0.13, -0.13)))


def test_a_large_pot_is_taken_by_its_thin_handles():
    grasps = found(pot())
    assert grasps and all(abs(g.tcp.position[0] - 0.5) > 0.1 and g.width < 0.025 for g in grasps)


def test_a_large_pot_is_as_narrow_as_its_thin_handles():
    assert GRASPS.narrowest_width(pot()) < 0.015
