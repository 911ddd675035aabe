# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rectangles and circles through contour points, grown by the half pixel that an contour lacks."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replan_agent.perceive.camera import fitting
from replan_agent.perceive.camera.fitting import _rectangle
from replan_agent.perceive.camera.footprint import Rectangle, fit_circle, fit_rectangle

PIXEL = np.array([[0.002, 0.0], [0.0, 0.002]])  # 2 mm to the right, 2 mm down


def contour(inside):
    """Centres of the 2 mm pixels inside a region that have a neighbour outside."""
    x, y = (PIXEL[0, 0] * np.mgrid[-60:61, -60:61] + 0.0007)
    mask = inside(x, y)
    inner = (mask[2:, 1:-1] & mask[:-2, 1:-1] & mask[1:-1, 2:] & mask[1:-1, :-2])
    mask[1:-1, 1:-1] &= ~inner
    return np.column_stack([x[mask], y[mask]])


def rectangle(width, depth, yaw):
    c, s = math.cos(yaw), math.sin(yaw)

    def inside(x, y):
        return (np.abs(c * x + s * y) < width / 2) & (np.abs(-s * x + c * y) < depth / 2)

    return contour(inside)


@pytest.mark.parametrize('yaw', [0.0, 0.2, math.pi / 4, 1.1])
@pytest.mark.parametrize('sides', [(0.04, 0.04), (0.024, 0.11), (0.05, 0.08)])
def test_a_rectangle_is_measured_to_half_a_pixel_and_two_degrees(yaw, sides):
    found = fit_rectangle(rectangle(*sides, yaw), PIXEL)
    assert sorted(found.sides) == pytest.approx(sorted(sides), abs=0.0012)
    assert found.centre == pytest.approx((0, 0), abs=0.001)
    assert abs(math.remainder(found.yaw - yaw, math.pi / 2)) < math.radians(2)


def test_a_circle_is_measured_to_half_a_pixel():
    found = fit_circle(contour(lambda x, y: np.hypot(x - 0.01, y) < 0.025), PIXEL)
    assert found.radius == pytest.approx(0.025, abs=0.0005)
    assert found.centre == pytest.approx((0.01, 0.0), abs=0.0005)


def test_each_shape_fits_its_own_outline_better_than_the_other():
    square, disc = rectangle(0.04, 0.04, 0.3), contour(lambda x, y: np.hypot(x, y) < 0.02)
    assert fit_rectangle(square, PIXEL).rms < 0.5 * fit_circle(square, PIXEL).rms
    assert fit_circle(disc, PIXEL).rms < 0.5 * fit_rectangle(disc, PIXEL).rms


def test_a_side_without_outline_points_is_said_to_be_unseen():
    points = rectangle(0.06, 0.04, 0.3)
    along = points @ [math.cos(0.3), math.sin(0.3)]
    assert fit_rectangle(points, PIXEL).seen == (True,) * 4
    # The far end is hidden, so nothing but the two long sides' last points is there.
    assert fit_rectangle(points[along < 0.02], PIXEL).seen.count(False) == 1


def test_a_stray_pixel_does_not_make_a_side():
    """One contour pixel between a thing and the hand before it may have any depth."""
    yaw = 0.3
    points = rectangle(0.04, 0.04, yaw)
    away = 0.07 * np.array([math.cos(yaw), math.sin(yaw)])
    points = np.vstack([points[points @ away < 0.07 * 0.0185], away])  # that end is hidden too
    assert max(fit_rectangle(points, PIXEL, 0.001).sides) > 0.08
    found = fit_rectangle(points, PIXEL, 0.001, strays=2)
    assert found.sides == pytest.approx((0.04, 0.04), abs=0.003) and found.rms < 0.002


def test_from_another_start_the_same_rectangle_is_found():
    points = rectangle(0.04, 0.05, 0.3)
    plain = fit_rectangle(points, PIXEL)
    turned = fit_rectangle(points, PIXEL, yaw=plain.yaw + math.radians(10))
    assert turned.sides == pytest.approx(plain.sides, abs=1e-4)
    assert turned.yaw == pytest.approx(plain.yaw, abs=1e-3)


@pytest.mark.parametrize('seed', range(12))
def test_a_noisy_outline_is_measured_as_the_square_it_is(seed):
    """Some contour pixels belong to the table behind; the best of several starts is taken."""
    rng = np.random.default_rng(seed)
    points = rectangle(0.04, 0.04, rng.uniform(0, math.pi / 2))
    points = points + rng.normal(0, 0.001, points.shape)
    astray = rng.integers(0, len(points), 3)
    points[astray] += rng.uniform(0.004, 0.012, (3, 1)) * points[astray] / np.linalg.norm(
        points[astray], axis=1, keepdims=True)
    found = _rectangle(points, PIXEL, 0.001, partly_hidden=False)
    assert found.sides == pytest.approx((0.04, 0.04), abs=0.005)


def test_a_patch_without_height_is_neither_a_lying_cylinder_nor_a_ball():
    level = SimpleNamespace(table=SimpleNamespace(point_heights=lambda points: points[:, 2]))
    points, sides = np.zeros((9, 3)), Rectangle((0.5, 0.0), (0.05, 0.04), 0.0, 0.001)
    assert not list(fitting._lying(level, points, sides, height=0.0, bottom=0.0))
    assert not list(fitting._ball(level, points, None, sides, top=0.0, bottom=0.0))
