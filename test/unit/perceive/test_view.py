# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pixels to points and back, and the two ways to a height agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.perceive.camera.arm_mask import Solids, grouped, painted
from replan_agent.perceive.camera.plane import find_table
from replan_agent.perceive.camera.view import View

from .synthetic import box, picture

VIEW = View(picture(box(0.5, 0.1), box(0.4, -0.2, colour='blue')))


def test_a_pixels_point_projects_back_to_the_pixel():
    rows, columns = np.array([10, 200, 479, 240]), np.array([0, 639, 300, 320])
    projected = VIEW.project(VIEW.points(rows, columns))
    assert projected[:, 0] == pytest.approx(columns, abs=1e-3)
    assert projected[:, 1] == pytest.approx(rows, abs=1e-3)
    assert projected[:, 2] == pytest.approx(VIEW.depth[rows, columns], abs=1e-6)


def test_the_heights_of_a_picture_are_those_of_its_points():
    table = find_table(VIEW, PANDA)
    rows, columns = np.nonzero(VIEW.depth)
    np.testing.assert_allclose(table.heights(VIEW)[rows, columns],
                               table.point_heights(VIEW.points(rows, columns)), rtol=0, atol=2e-6)


def _contains(T, half, radius, points):
    local = np.abs((points - T[:3, 3]) @ T[:3, :3])
    return np.linalg.norm(np.maximum(local - half, 0), axis=1) < radius


@pytest.mark.parametrize('stride', [1, 2])
def test_painting_solids_finds_every_pixel_whose_point_is_in_one(stride):
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, :2, 3] = (0.5, 0.1), (0.4, -0.2), (1.35, 0.5)  # the last reaches behind the camera
    T[:, 2, 3] = 0.02
    solids = Solids(T, np.tile([0.01, 0.015, 0.1], (3, 1)), np.full(3, 0.012))
    among = VIEW.depth > 0
    among[:, 320:330] = False
    rows, columns = (grid * stride for grid in np.nonzero(among[::stride, ::stride]))
    points = VIEW.points(rows, columns).astype(np.float32)
    expected = np.any([_contains(*each, points)
                       for each in zip(solids.T, solids.half, solids.radius)], axis=0)
    found = painted(VIEW, grouped(VIEW, solids), among[::stride, ::stride], stride)
    assert 200 < np.count_nonzero(expected) * stride ** 2
    assert np.count_nonzero(found[rows // stride, columns // stride] != expected) <= 2
    assert np.count_nonzero(found) == np.count_nonzero(found & among[::stride, ::stride])


def test_what_is_not_a_distance_counts_as_no_depth():
    frame = picture(box(0.5, 0.1))
    depth = frame.depth.copy()
    depth[200, 300:304] = np.nan, np.inf, -1.0, 0.0
    view = View(replace(frame, depth=depth))
    assert np.all(view.depth[200, 300:304] == 0) and np.all(np.isfinite(view.depth))
