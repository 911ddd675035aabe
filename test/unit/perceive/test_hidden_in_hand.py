# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far below the hand an object hangs that the fingers hide from the camera."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot
from replan_agent.perceive.camera.arm_mask import outline_of
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks.in_hand import grip_on, new_grip

from .synthetic import StillRobot, box, perception, picture

TCP = Pose.from_rpy(0.5, -0.2, 0.15, roll=math.pi, yaw=math.pi / 2)
ARM = ArmSnapshot((0.0,) * 7, TCP, 0.036, at_home=False)
CUBE = replace(box(0.5, -0.2, (0.036,) * 3), name='red_cube')
FINGER = box(0.525, -0.2, (0.014, 0.021, 0.08), bottom=0.141, colour='grey')
TOWARDS_CAMERA = math.radians(63)  # a turn of the wrist that puts one finger before the other
PALM = box(0.5, -0.2, (0.06, 0.2, 0.1), bottom=0.185, colour='grey')


def hangs_at(*shown) -> float:
    """The height (m) of the cube's centre, as believed."""
    return grip_on(CUBE, (), View(picture(FINGER, PALM, *shown)), ARM).at(ARM, 0.0).position[2]


@pytest.mark.parametrize('below_m', [0.0, 0.006, 0.012])
def test_a_hidden_object_hangs_as_low_as_its_lower_edge_is_seen(below_m):
    z = TCP.position[2] - below_m
    assert hangs_at(box(0.5, -0.2, CUBE.size, bottom=z - 0.018)) == pytest.approx(z, abs=0.003)


def test_a_hand_with_a_wall_before_it_says_nothing_about_the_height():
    assert hangs_at(box(0.62, -0.15, (0.01, 0.4, 0.3), colour='blue')) == TCP.position[2]


def test_an_empty_hand_says_nothing_about_the_height():
    assert hangs_at() == TCP.position[2]


def test_a_grip_that_no_pixel_showed_is_marked_as_a_guess():
    assert not grip_on(CUBE, (), View(picture(FINGER, PALM)), ARM).seen


def test_a_grip_behind_the_fingers_is_measured_as_soon_as_it_is_seen():
    joints = (*HOME[:6], HOME[6] + TOWARDS_CAMERA)
    frames = PANDA.kinematics.link_frames(np.array(joints))
    x, y, z = map(float, frames[-1][:3, 3])
    fingers = [replace(FINGER, pose=Pose.from_matrix(T), size=(0.04, 0.04, 0.068))
               for T in outline_of(PANDA).finger_solids(frames, CUBE.size[0]).T]
    robot = StillRobot(joints=joints)
    looks = perception(
        picture(box(x, y, CUBE.size)), picture(*fingers),
        picture(box(x, y, CUBE.size, bottom=z - 0.02)), robot=robot)
    looks.observe(Context())
    robot.width = CUBE.size[0]
    hidden, seen = (looks.observe(Context()) for _ in range(2))
    assert hidden.held == seen.held == 'red_cube'
    assert seen.get('red_cube').bottom_z == pytest.approx(z - 0.02, abs=0.003)


@pytest.mark.parametrize(('bottom_m', 'long_m'), [(-0.14, 0.16), (-0.018, 0.036)])
def test_what_is_seen_to_be_larger_in_the_air_than_on_the_table_is_as_large(bottom_m, long_m):
    """In a heap something lay before it."""
    robot = StillRobot(joints=(*HOME[:6], HOME[6] + TOWARDS_CAMERA))
    x, y, z = map(float, PANDA.kinematics.link_frames(np.array(robot.joints))[-1][:3, 3])
    hanging = box(x, y, (0.036, 0.036, long_m), bottom=z + bottom_m)
    looks = perception(picture(box(x, y, CUBE.size)), picture(hanging), robot=robot)
    looks.observe(Context())
    robot.width = CUBE.size[0]
    now = looks.observe(Context())
    assert now.held == 'red_cube'
    assert max(now.get('red_cube').size) == pytest.approx(long_m, abs=0.006)
    assert now.get('red_cube').bottom_z == pytest.approx(z + bottom_m, abs=0.006)


@pytest.mark.parametrize('size, off', [
    ((0.036, 0.036, 0.3), (0.0, 0.0, -0.13)), ((0.036, 0.2, 0.036), (0.0, 0.07, 0.0)),
    ((0.036, 0.2, 0.036), (0.0, -0.07, 0.0))], ids=['tall', 'by one end', 'by the other'])
def test_a_long_thing_that_is_held_far_from_its_middle_is_where_it_is_seen(size, off):
    x, y, z = np.add((*TCP.position[:2], 0.3), off)
    arm = replace(ARM, tcp=Pose.from_rpy(0.5, -0.2, 0.3, roll=math.pi, yaw=math.pi / 2))
    there = box(x, y, size, bottom=z - size[2] / 2)
    shown = np.random.default_rng(0).uniform(-0.5, 0.5, (900, 3)) * size + there.position
    shown = shown[np.linalg.norm(shown - arm.tcp.position, axis=1) > 0.04]  # the hand hides it
    fit = SimpleNamespace(points=shown, thing=there, bottom_seen=off[2] != 0)
    held = grip_on(box(x, y, size), [fit], View(picture()), arm).at(arm, 0.0)
    assert held.position == pytest.approx((x, y, z), abs=0.006)


RISE = (0.4044, 0.0705, -0.2232, 0.3324, -0.1502, -0.2468, 0.1977)  # of the joints: 10 cm up


@pytest.mark.parametrize('others', [(), ('blue',)], ids=['alone', 'on another'])
def test_pads_that_opened_hold_nothing_though_no_look_shows_what_is_below_them(others):
    joints = np.array((*HOME[:6], HOME[6] + TOWARDS_CAMERA))
    size = (0.036, 0.06, 0.036)  # the pads, open, are as far apart as its other side is long
    def fingers(at, width):
        return [replace(FINGER, pose=Pose.from_matrix(T), size=(0.04, 0.04, 0.068))
                for T in outline_of(PANDA).finger_solids(
                    PANDA.kinematics.link_frames(at), width).T]
    x, y, z = map(float, PANDA.kinematics.link_frames(joints)[-1][:3, 3])
    below = [box(x, y, size, colour=colour) for colour in others]
    robot = StillRobot(joints=joints)
    looks = perception(
        picture(box(x, y, size, bottom=0.036 * len(others)), *below),
        picture(box(x, y, size, bottom=z - 0.02), *below),
        picture(*fingers(joints + RISE, 0.06)), robot=robot)
    looks.observe(Context())
    robot.width = size[0]
    held = looks.observe(Context()).held
    robot.width, robot.joints = 0.06, joints + RISE
    assert held and looks.observe(Context()).held is None


@pytest.mark.parametrize(('before', 'held'), [(0.06, 'red_cube'), (CUBE.size[0], None)])
def test_pads_that_have_not_moved_have_not_taken_what_is_missing_below_them(before, held):
    """It was taken away, or was a part of something, while the hand was elsewhere, half open."""
    joints = np.array((*HOME[:6], HOME[6] + TOWARDS_CAMERA))
    frames = PANDA.kinematics.link_frames(joints)
    x, y, _ = map(float, frames[-1][:3, 3])
    fingers = [replace(FINGER, pose=Pose.from_matrix(T), size=(0.04, 0.04, 0.068))
               for T in outline_of(PANDA).finger_solids(frames, CUBE.size[0]).T]
    robot = StillRobot(joints=joints)
    robot.width = before
    looks = perception(picture(box(x, y, CUBE.size)), picture(*fingers), robot=robot)
    assert looks.observe(Context()).held is None
    robot.width = CUBE.size[0]
    assert looks.observe(Context()).held == held


@pytest.mark.parametrize(('bottom', 'width', 'held'), [
    (-0.05, 0.036, 'red_bar'), (-0.05, 0.06, None), (-0.46, 0.036, None)],
    ids=['hangs', 'let go', 'lies below'])
def test_what_hangs_in_the_hand_in_another_way_is_held_though_its_place_is_seen_through(
        bottom, width, held):
    """Above a heap, of what swung to and fro only two ends are seen beside the hand."""
    x, y, z = map(float, PANDA.kinematics.link_frames(np.array(HOME))[-1][:3, 3])
    size, heap = (0.16, 0.036, 0.036), box(x, y, (0.5, 0.4, z - 0.06), colour='blue')
    ends = [box(x + dx, y + 0.03, (0.03, 0.036, 0.036), bottom=z + bottom) for dx in (-.075, .075)]
    robot = StillRobot()
    looks = perception(picture(box(x, y, size)), picture(box(x, y, size, bottom=z - 0.018)),
                       picture(*([heap] if bottom > -0.1 else []), *ends), robot=robot)
    looks.observe(Context())
    robot.width = size[1]
    assert looks.observe(Context()).held == 'red_bar'
    robot.width = width
    assert looks.observe(Context()).held == held


def test_what_stands_beside_the_hand_is_not_in_it_if_only_its_foot_is_hidden():
    x, y, z = map(float, PANDA.kinematics.link_frames(np.array(HOME))[-1][:3, 3])
    tower = box(x - 0.09, y - 0.05, (0.06, 0.06, z), colour='red')
    wall = box(x + 0.15, y - 0.02, (0.02, 0.3, 0.25), colour='blue')
    robot = StillRobot()
    looks = perception(
        picture(tower, box(x, y, CUBE.size)),
        picture(tower, wall, box(x, y, CUBE.size, bottom=z - 0.02)), robot=robot)
    looks.observe(Context())
    robot.width = CUBE.size[0]
    seen = looks.observe(Context())
    assert seen.held == 'red_cube'
    assert np.allclose(seen.get('red_cube').position[:2], (x, y), atol=0.006)


@pytest.mark.parametrize(('size', 'held'), [
    ((0.036, 0.06, 0.05), 'red_box'), ((0.05, 0.06, 0.036), None)], ids=['wide', 'high'])
def test_what_is_gone_is_between_the_pads_only_if_a_level_side_fits_them(size, held):
    gone = replace(box(0.5, -0.2, size), name='red_box')
    hidden = box(0.5, -0.2, (0.1, 0.2, 0.2), bottom=0.11, colour='grey')
    assert new_grip((), [gone], View(picture(hidden)), ARM).held == held


def fingers_at(joints, width):
    frames = PANDA.kinematics.link_frames(np.array(joints))
    return [replace(FINGER, pose=Pose.from_matrix(T), size=(0.04, 0.04, 0.068))
            for T in outline_of(PANDA).finger_solids(frames, width).T]


@pytest.mark.parametrize(('colour', 'held'), [('red', 'red_cube'), ('orange', 'orange_thing')])
def test_what_shows_another_colour_once_it_is_seen_in_the_hand_is_not_what_was_guessed(
        colour, held):
    joints = (*HOME[:6], HOME[6] + TOWARDS_CAMERA)
    x, y, z = map(float, PANDA.kinematics.link_frames(np.array(joints))[-1][:3, 3])
    robot = StillRobot(joints=joints)
    looks = perception(
        picture(box(x, y, CUBE.size)), picture(*fingers_at(joints, CUBE.size[0])),
        picture(box(x, y, CUBE.size, bottom=z - 0.02, colour=colour)), robot=robot)
    looks.observe(Context())
    robot.width = CUBE.size[0]
    hidden, seen = (looks.observe(Context()) for _ in range(2))
    assert (hidden.held, seen.held) == ('red_cube', held)


@pytest.mark.parametrize(('colour', 'held'), [('red', 'red_cube'), ('orange', 'orange_cube')])
def test_what_something_else_was_seen_to_replace_is_not_what_the_hand_hides_then(colour, held):
    joints = (*HOME[:6], HOME[6] + TOWARDS_CAMERA)
    x, y, _ = map(float, PANDA.kinematics.link_frames(np.array(joints))[-1][:3, 3])
    robot = StillRobot(joints=joints)
    looks = perception(
        picture(box(x, y, CUBE.size)), picture(box(x, y, CUBE.size, colour=colour)),
        picture(*fingers_at(joints, CUBE.size[0])), robot=robot)
    for _ in range(2):
        looks.observe(Context())
    robot.width = CUBE.size[0]
    assert looks.observe(Context()).held == held
