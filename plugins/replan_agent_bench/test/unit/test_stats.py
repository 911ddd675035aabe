# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Intervals and percentiles against known values."""

from __future__ import annotations

import pytest
from replan_agent_bench.stats import percentile, wilson


@pytest.mark.parametrize(('good', 'n', 'low', 'high'), [
    (400, 400, 0.9905, 1.0), (0, 10, 0.0, 0.2775), (79, 100, 0.7002, 0.8583),
    (5, 10, 0.2366, 0.7634),
])
def test_wilson_intervals_equal_published_values(good, n, low, high):
    assert wilson(good, n) == pytest.approx((low, high), abs=5e-4)


def test_no_trials_have_no_interval():
    with pytest.raises(ValueError, match='0 trials'):
        wilson(0, 0)


def test_percentiles_interpolate():
    assert percentile([3, 1, 2, 4], 50) == 2.5 and percentile([1, 2], 95) == pytest.approx(1.95)
