# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which pixels show the arm: found from coarse to fine, the same as if all were looked at."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.pose import Pose
from replan_agent.perceive.camera.arm_mask import arm_mask, grouped, outline_of, painted
from replan_agent.perceive.camera.view import View

from .synthetic import ball, box, picture

TURNS = ((0.0, 0.0), (0.5, -0.3), (-0.6, 0.4))


def seen(turn, bend):
    """The arm as a ball in each joint and a box for its hand, over cubes on the table."""
    joints = np.array(HOME) + (turn, bend, 0, 0, 0, 0, turn)
    frames = PANDA.kinematics.link_frames(joints)
    arm = [box(*frame[:2, 3], (0.1, 0.1, 0.1), bottom=frame[2, 3] - 0.05, colour='white')
           for frame in frames[:-1]]
    x, y, z = frames[-1][:3, 3]
    cubes = [box(x + dx, y + dy, colour='red') for dx, dy in ((0, 0), (0.06, 0), (0, -0.1))]
    return View(picture(*arm, ball(x, y, 0.06), *cubes)), frames


def all_looked_at(view, frames, width, among):
    """The mask without a shortcut: every second pixel of the links, every pixel of the fingers."""
    outline = outline_of(PANDA)
    links = painted(view, grouped(view, outline.link_solids(frames)), among[::2, ::2], 2)
    wide = cv2.dilate(links.view(np.uint8), np.ones((3, 3), np.uint8))
    mask = wide.repeat(2, axis=0).repeat(2, axis=1).astype(bool)
    fingers = grouped(view, outline.finger_solids(frames, width))
    return (mask | painted(view, fingers, among, 1)) & among


@pytest.mark.parametrize(('turn', 'bend'), TURNS)
def test_pixels_amid_the_arm_need_not_be_looked_at(turn, bend):
    view, frames = seen(turn, bend)
    among = (view.depth > 0) & (view.origin[2] + view.depth * view.rays[..., 2] > 0.005)
    mask = arm_mask(view, PANDA, frames, 0.03, among)
    assert 2000 < np.count_nonzero(mask) < np.count_nonzero(among)
    assert np.array_equal(mask, all_looked_at(view, frames, 0.03, among))


def test_the_fingers_are_as_far_apart_as_the_encoder_says():
    frames = PANDA.kinematics.link_frames(np.array(HOME))
    solids = outline_of(PANDA).finger_solids
    for width in (0.0, 0.03, 0.08):
        left, right = (Pose.from_matrix(T) for T in solids(frames, width).T)
        closed = [Pose.from_matrix(T) for T in solids(frames, 0.0).T]
        assert left.distance_to(right) == pytest.approx(
            closed[0].distance_to(closed[1]) + width, abs=1e-9)
