# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A box with print on it is one thing, if the caller says that things are printed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Shape
from replan_agent.perceive.camera.one_look import look
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.perceive.looks.in_hand import new_grip

from .synthetic import RGB, Frames, StillRobot, box, picture

FACING_CAMERA = -1.06  # rad: the broad side of the packet


def seen(frame, printed=True):
    camera = ColourDepthPerception(Frames(frame), StillRobot(), PANDA,
                                   printed=printed)
    return [thing for thing in camera.observe(Context()).objects
            if thing.shape is not Shape.TABLE]


def with_print(thing, *colours):
    """A picture of the thing, with bands of these colours on the lower half of its side."""
    plain = picture(thing)
    on_side = np.any(plain.rgb != RGB['wood'], axis=2)
    rows = np.flatnonzero(on_side.any(axis=1))
    rgb = plain.rgb.copy()
    for band, colour in zip(np.array_split(rows[len(rows) // 2:], len(colours)), colours):
        rgb[band] = np.where(on_side[band][..., None], RGB[colour], rgb[band])
    return replace(plain, rgb=rgb)


PACKET = box(0.5, 0.05, (0.10, 0.03, 0.15), FACING_CAMERA)


@pytest.mark.parametrize('colours', [['yellow'], ['orange', 'yellow'], ['white', 'blue']])
def test_a_printed_packet_is_one_thing_of_its_whole_size(colours):
    (found,) = seen(with_print(PACKET, *colours))
    assert np.allclose(sorted(found.size), sorted(PACKET.size), atol=0.006)
    assert np.allclose(found.position, PACKET.position, atol=0.006)


def test_without_being_told_of_print_two_colours_are_two_things():
    assert len(seen(with_print(PACKET, 'yellow'), printed=False)) == 2


def test_a_cube_with_a_side_in_deep_shade_is_one_thing():
    cube = box(0.5, 0.05, (0.05,) * 3, 0.1, 'green')
    plain = picture(cube)
    side = (plain.rgb == (np.array(RGB['green']) * 0.7).astype(np.uint8)).all(axis=2)
    left = side & (np.arange(side.shape[1]) < np.median(np.nonzero(side)[1]))
    dark = np.where(left[..., None], (18, 29, 19), plain.rgb).astype(np.uint8)
    (found,) = seen(replace(plain, rgb=dark), printed=False)
    assert np.allclose(found.size, cube.size, atol=0.006) and found.name == 'green_cube'


@pytest.mark.parametrize(('printed', 'tcp_y', 'held'), [
    (True, 0.05, True), (False, 0.05, False), (True, 0.20, False)])  # it was not below the hand
def test_a_packet_that_shows_only_its_print_is_the_one_that_was_below_the_hand(
        printed, tcp_y, held):
    frame = picture(box(0.5, tcp_y, (0.10, 0.03, 0.10), FACING_CAMERA, 'yellow', bottom=0.12))
    links = PANDA, StillRobot().joints
    view = View(frame)
    fits = look(view, *links, 0.03, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose.from_rpy(0.5, tcp_y, 0.24, roll=np.pi), 0.03, False)
    grip = new_grip(fits, [replace(PACKET, name='packet')], view, arm, printed)
    assert (grip.held is not None) is held


def test_a_printed_packet_in_the_hand_is_no_strip_of_print_and_no_thing_of_its_colour_beside_it():
    frame = picture(box(0.5, 0.05, (0.10, 0.03, 0.10), FACING_CAMERA, 'yellow', bottom=0.12))
    view = View(frame)
    fits = look(view, PANDA, StillRobot().joints, 0.03, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose.from_rpy(0.5, 0.05, 0.24, roll=np.pi), 0.03, False)
    strip = replace(PACKET, name='strip', colour='yellow', size=(0.09, 0.005, 0.025),
                    pose=Pose((0.5, 0.05, 0.1), PACKET.pose.quaternion))
    beside = replace(PACKET, name='beside', colour='yellow', size=(0.03, 0.03, 0.05),
                     pose=Pose((0.5, 0.16, 0.1)))
    known = [strip, beside, replace(PACKET, name='packet')]
    assert new_grip(fits, known, view, arm, printed=True).thing.name == 'packet'


def test_how_deep_a_thing_in_the_hand_is_may_be_seen_wrongly():
    """From its broad side a packet may seem as deep as it is wide."""
    frame = picture(box(0.5, 0.05, (0.10, 0.10, 0.12), FACING_CAMERA, 'red', bottom=0.10))
    view = View(frame)
    fits = look(view, PANDA, StillRobot().joints, 0.03, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose.from_rpy(0.5, 0.05, 0.24, roll=np.pi), 0.03, False)
    strip = replace(PACKET, name='strip', colour='yellow', size=(0.03, 0.005, 0.025))
    known = [strip, replace(PACKET, name='packet')]
    assert new_grip(fits, known, view, arm, printed=True).thing.name == 'packet'


@pytest.mark.parametrize('size', [(0.05, 0.03, 0.04), (0.10, 0.03, 0.10)])
@pytest.mark.parametrize('printed', [False, True])
def test_a_thing_that_is_gone_from_its_place_is_in_the_hand_and_not_one_below_it(printed, size):
    frame = picture(box(0.5, 0.05, (0.10, 0.03, 0.10), FACING_CAMERA, 'green', bottom=0.12))
    view = View(frame)
    fits = look(view, PANDA, StillRobot().joints, 0.03, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose.from_rpy(0.5, 0.05, 0.24, roll=np.pi), 0.03, False)
    carried = replace(PACKET, name='carried', colour='green', size=(0.10, 0.03, 0.10),
                      pose=Pose((0.5, -0.25, 0.05), PACKET.pose.quaternion))
    below = replace(PACKET, name='below', colour='red', size=size,
                    pose=Pose((0.5, 0.06, 0.02), PACKET.pose.quaternion))
    assert new_grip(fits, [carried, below], view, arm, printed).thing.name == 'carried'


@pytest.mark.parametrize('printed', [False, True])
def test_a_cube_on_a_cube_of_another_colour_is_two_things(printed):
    found = seen(picture(box(0.5, 0.0, yaw=0.3),
                         box(0.5, 0.0, yaw=0.3, colour='green', bottom=0.04)), printed)
    assert sorted(thing.colour for thing in found) == ['green', 'red']
