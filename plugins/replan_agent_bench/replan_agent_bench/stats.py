# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z_95 = 1.959963984540054


def wilson(successes: int, n: int) -> tuple[float, float]:
    """The Wilson 95 % interval of a rate."""
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f'no interval for {successes} successes in {n} trials')
    p, z2 = successes / n, Z_95 * Z_95
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile (0 to 100), by linear interpolation."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * q / 100
    low, high = math.floor(at), math.ceil(at)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
