# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The curves through waypoints are those of scipy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

from replan_agent.domain.pose import FloatArray
from replan_agent.motion.splines import Curve, monotone, smooth

Make = Callable[[FloatArray, FloatArray], Curve]


@pytest.mark.parametrize(('make', 'reference'), [
    (smooth, CubicSpline), (monotone, PchipInterpolator)], ids=['smooth', 'monotone'])
@pytest.mark.parametrize('count', [3, 4, 5, 60])
def test_values_and_derivatives_are_those_of_scipy(make: Make, reference: Make,
                                                   count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(20):
        u = np.cumsum(rng.uniform(0.01, 1.0, count))
        values = rng.integers(-3, 4, (count, 7)) * rng.choice([0.5, 0.01])  # some do not change
        at = np.linspace(u[0], u[-1], 200)
        curve = reference(u, values)
        for order, found in enumerate(make(u, values)(at)):
            np.testing.assert_allclose(found, curve(at, order), rtol=1e-9, atol=1e-6)


def test_a_curve_passes_its_waypoints() -> None:
    u, values = np.array([0.0, 0.3, 1.0]), np.array([[0.0], [2.0], [1.0]])
    for make in (smooth, monotone):
        np.testing.assert_allclose(make(u, values)(u)[0], values, atol=1e-12)
