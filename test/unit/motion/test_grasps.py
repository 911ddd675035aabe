# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grasps: what fits between the pads, from where, and how deep."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.motion.grasping.grasps import ShapeGrasps
from replan_agent.motion.motion_protocols import GraspKind

GRASPS = ShapeGrasps(PANDA.hand)
EMPTY = Scene('s', 0.0, (), 'test')


def thing(size, shape=Shape.BOX, yaw=0.0, roll=0.0) -> SceneObject:
    pose = Pose.from_rpy(0.5, 0.1, 0.0, roll=roll, yaw=yaw)
    lying = SceneObject('it', shape, size, pose)
    return SceneObject('it', shape, size, pose.moved(dz=-lying.bottom_z))


def candidates(item: SceneObject, kind: GraspKind = GraspKind.TOP_DOWN):
    return [g for g in GRASPS.candidates(item, EMPTY) if g.kind is kind]


def closing_axis(grasp) -> np.ndarray:
    return grasp.tcp.matrix()[:3, 1]


def test_a_grasp_is_described_without_minus_zero():
    said = [g.label for g in GRASPS.candidates(thing((0.04, 0.04, 0.04)), EMPTY)]
    assert any('closing at 0°' in text for text in said)
    assert not any('-0°' in text for text in said)


@pytest.mark.parametrize('yaw', [0.0, 0.4, 1.3, -2.0])
def test_the_pads_close_across_the_sides_of_a_turned_box(yaw):
    sides = [np.array([math.cos(yaw + k), math.sin(yaw + k), 0]) for k in (0, math.pi / 2)]
    for grasp in candidates(thing((0.04, 0.04, 0.04), yaw=yaw)):
        assert max(abs(closing_axis(grasp) @ side) for side in sides) > 1 - 1e-9


def test_a_bar_is_taken_across_its_narrow_side_only():
    found = candidates(thing((0.024, 0.11, 0.024), yaw=0.3))
    along = np.array([-math.sin(0.3), math.cos(0.3), 0])
    assert found and all(abs(closing_axis(g) @ along) < 1e-9 and g.width == 0.024 for g in found)


def test_something_wider_than_the_gripper_has_no_grasp():
    item = thing((0.1, 0.1, 0.1))
    assert not list(GRASPS.candidates(item, EMPTY)) and GRASPS.narrowest_width(item) == 0.1


def test_a_lying_cylinder_is_taken_across_its_axis():
    found = candidates(thing((0.04, 0.04, 0.12), Shape.CYLINDER, roll=math.pi / 2))
    assert found and all(abs(closing_axis(g)[1]) < 1e-9 for g in found)  # the axis lies along y


def test_a_standing_cylinder_is_taken_from_many_sides():
    found = candidates(thing((0.05, 0.05, 0.1), Shape.CYLINDER))
    assert len({round(math.atan2(*closing_axis(g)[:2]), 3) for g in found}) >= 8


@pytest.mark.parametrize('height', [0.015, 0.024, 0.04, 0.08, 0.2])
def test_finger_tips_stay_off_the_table_and_the_palm_off_the_object(height):
    item = thing((0.04, 0.04, height))
    for grasp in candidates(item) + candidates(item, GraspKind.TILTED):
        z, tilt = grasp.tcp.position[2], math.acos(-grasp.tcp.matrix()[2, 2])
        dip = (PANDA.hand.tip_beyond_tcp_m * math.cos(tilt)
               + PANDA.hand.pad_width_m / 2 * math.sin(tilt))
        assert z - dip > 0.001
        if grasp.kind is GraspKind.TOP_DOWN:
            assert item.top_z < z + PANDA.hand.palm_above_tcp_m


def test_a_wide_opening_is_tried_before_a_tight_one():
    openings = [g.opening for g in candidates(thing((0.04, 0.04, 0.04)))]
    assert openings == sorted(openings, reverse=True) and openings[-1] == pytest.approx(0.048)


def test_higher_grasps_follow_the_usual_ones_and_stay_below_the_top():
    heights = list(dict.fromkeys(g.tcp.position[2] for g in candidates(thing((0.04,) * 3))))
    assert heights == pytest.approx([0.02, 0.027, 0.034])
    flat = [g.tcp.position[2] for g in candidates(thing((0.04, 0.04, 0.02)))]
    assert max(flat) - min(flat) < 1e-9  # on something flat there is no room for another one


def test_tilted_grasps_lean_about_the_closing_axis():
    for grasp in candidates(thing((0.04, 0.04, 0.04)), GraspKind.TILTED):
        assert abs(closing_axis(grasp)[2]) < 1e-9  # the pads still close level
        assert 0.5 < -grasp.tcp.matrix()[2, 2] < 0.95


def test_a_side_grasp_is_level_and_only_for_what_is_tall():
    for grasp in candidates(thing((0.05, 0.05, 0.2), Shape.CYLINDER), GraspKind.SIDE):
        assert abs(grasp.tcp.matrix()[2, 2]) < 1e-9 and abs(closing_axis(grasp)[2]) < 1e-9
        assert grasp.tcp.position[2] > 0.04
    assert not candidates(thing((0.04, 0.04, 0.04)), GraspKind.SIDE)


def test_a_bowl_is_taken_by_its_rim_with_the_pads_across_the_wall():
    bowl = thing((0.16, 0.16, 0.055), Shape.BOWL)
    found = candidates(bowl, GraspKind.RIM)
    assert len(found) == 24  # twelve places, two openings
    for grasp in found:
        outward = np.subtract(grasp.tcp.position, bowl.position)[:2]
        assert 0.06 < np.linalg.norm(outward) < 0.08
        assert abs(closing_axis(grasp)[:2] @ outward) == pytest.approx(np.linalg.norm(outward))


def test_a_bowl_that_leans_is_taken_by_its_rim_as_it_leans():
    bowl = replace(thing((0.16, 0.16, 0.055), Shape.BOWL),
                   pose=Pose.from_rpy(0.5, 0.1, 0.06, pitch=0.3, yaw=0.5))
    for grasp in candidates(bowl, GraspKind.RIM):
        own = bowl.pose.rotation.T @ np.subtract(grasp.tcp.position, bowl.position)
        assert own[2] == pytest.approx(0.055 / 2 - 0.012)
        assert np.hypot(*own[:2]) == pytest.approx(0.072)
        assert grasp.tcp.rotation[:, 2] @ bowl.pose.rotation[:, 2] == pytest.approx(-1)


def test_every_tcp_pose_is_a_proper_rotation():
    items = [thing((0.04, 0.03, 0.1), yaw=0.3), thing((0.05, 0.05, 0.2), Shape.CYLINDER),
             thing((0.16, 0.16, 0.055), Shape.BOWL)]
    for grasp in (g for item in items for g in GRASPS.candidates(item, EMPTY)):
        R = grasp.tcp.matrix()[:3, :3]
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-9)
        assert np.linalg.det(R) == pytest.approx(1)


@pytest.mark.parametrize('height_m', [0.03, 0.05, 0.07, 0.1])
@pytest.mark.parametrize('width_m', [0.03, 0.05, 0.07])
def test_a_tilted_palm_stays_clear_of_the_object_between_its_fingers(width_m, height_m):
    item = thing((width_m, width_m, height_m), yaw=0.4)
    grasps, half = candidates(item, GraspKind.TILTED), width_m / 2
    assert grasps
    top = [(x, y, height_m / 2, 1.0) for x in (-half, half) for y in (-half, half)]
    for grasp in grasps:
        seen = np.linalg.inv(grasp.tcp.matrix()) @ item.pose.matrix() @ np.transpose(top)
        under_the_hand = np.abs(seen[0]) < 0.033
        assert np.all(-seen[2][under_the_hand] < PANDA.hand.palm_above_tcp_m - 0.002)


def test_a_low_bar_beside_a_bin_can_be_taken_with_one_end_of_the_hand_above_its_wall():
    """The hand is wide in the closing direction: leaning, it passes over what is beside."""
    bar = thing((0.024, 0.09, 0.024))
    bin_ = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.065), Pose((0.64, 0.1, 0.0325)))

    def ends(scene: Scene) -> list[float]:
        return [float((g.tcp.matrix() @ (0, side * 0.1, -PANDA.hand.palm_above_tcp_m, 1))[2])
                for g in GRASPS.candidates(bar, scene) for side in (1, -1)
                if abs(g.tcp.matrix()[2, 1]) > 0.1]

    beside = Scene('s', 0.0, (bar, bin_), 'test')
    assert not ends(EMPTY) and max(ends(beside)) > bin_.top_z
    for grasp in GRASPS.candidates(bar, beside):
        tips = [grasp.tcp.matrix() @ (0, side * grasp.opening / 2, PANDA.hand.tip_beyond_tcp_m, 1)
                for side in (1, -1)]
        assert min(tip[2] for tip in tips) > 0.0


@pytest.mark.parametrize('size', [(0.048, 0.04, 0.048), (0.03, 0.06, 0.06)])
def test_a_leaning_hand_holds_a_thing_with_both_pads(size):
    """One pad is higher than the other: it must not close above the thing."""
    item = thing(size)
    wall = SceneObject('wall', Shape.WALL, (0.02, 0.4, 0.08), Pose((0.6, 0.1, 0.04)))
    leaning = [g for g in GRASPS.candidates(item, Scene('s', 0.0, (item, wall), 'test'))
               if abs(g.tcp.matrix()[2, 1]) > 0.1]
    assert leaning
    for grasp in leaning:
        pads = [grasp.tcp.matrix() @ (0, side * grasp.width / 2, 0, 1) for side in (1, -1)]
        assert max(pad[2] for pad in pads) <= item.top_z - 0.0059


@pytest.mark.parametrize('size', [(0.039,) * 3, (0.048, 0.04, 0.048), (0.03, 0.06, 0.06)])
def test_the_fingers_of_a_leaning_hand_pass_the_thing(size):
    """At an angle a thing is wider: a finger must not come down on its edge."""
    item = thing(size)
    wall = SceneObject('wall', Shape.WALL, (0.02, 0.4, 0.08), Pose((0.6, 0.1, 0.04)))
    leaning = [g for g in GRASPS.candidates(item, Scene('s', 0.0, (item, wall), 'test'))
               if abs(g.tcp.matrix()[2, 1]) > 0.1]
    assert leaning
    steps = np.linspace(-0.5, 0.5, 21)
    points = np.array([(x * size[0], y * size[1], z * size[2], 1)
                       for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in steps])
    for grasp in leaning:
        seen = np.linalg.inv(grasp.tcp.matrix()) @ item.pose.matrix() @ points.T
        between = np.abs(seen[1]) <= grasp.opening / 2
        below_tips = seen[2] > PANDA.hand.tip_beyond_tcp_m
        assert (between | below_tips).all()


@pytest.mark.parametrize(('shape', 'roll', 'expected'), [
    (Shape.BOX, 0.0, True), (Shape.CYLINDER, 0.0, True), (Shape.CYLINDER, math.pi / 2, False),
    (Shape.SPHERE, 0.0, False)])
def test_between_walls_a_small_thing_with_upright_sides_is_taken_at_its_top(
        shape, roll, expected):
    item = thing((0.03, 0.03, 0.03), shape, roll=roll)
    walls = SceneObject('bin', Shape.BIN, (0.2, 0.16, 0.07), Pose((0.5, 0.1, 0.035)))
    found = [g for g in GRASPS.candidates(item, Scene('s', 0.0, (walls,), 'test'))
             if g.kind is GraspKind.TOP_DOWN and g.tcp.position[2] > item.top_z - 0.003]
    assert bool(found) is expected


def test_between_walls_the_lower_half_of_the_pads_is_enough_as_the_last_choice():
    """The fingers get thicker 25 mm above the pads' middle: that part stays above the rim."""
    cube = thing((0.035,) * 3)
    walls = SceneObject('bin', Shape.BIN, (0.2, 0.16, 0.07), Pose((0.5, 0.1, 0.035)))
    heights = [g.tcp.position[2] - cube.top_z
               for g in GRASPS.candidates(cube, Scene('s', 0.0, (walls,), 'test'))]
    assert 0.0 < max(heights) < PANDA.hand.pad_height_m / 2 - 0.006
    assert max(heights[:8]) < 0.0
