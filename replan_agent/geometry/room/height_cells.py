# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map of heights in cells, and how low a thing gets that comes down onto it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray

from ..outlines import Part

CELL_M = 0.004


def stops_at(heights: FloatArray, own: Sequence[Part], at: FloatArray) -> FloatArray:
    """How low (z of its bottom, m) a thing of these parts gets at each place (k, 2, m)."""
    found = np.full(len(at), -math.inf)
    for part in own if len(at) else ():
        below = heights_at(heights, cells(part), at).max(axis=1)
        found = np.maximum(found, below - part.bottom_z)
    return found


def heights_at(heights: FloatArray, cells: NDArray[np.int64], at: FloatArray) -> FloatArray:
    """The heights (places, cells) below a thing at each place; -inf outside the map."""
    middle = (np.array(heights.shape) - 1) / 2
    centres = np.round(at / CELL_M + middle).astype(int)
    if not len(centres) or not len(cells):
        return np.empty((len(centres), len(cells)))
    beyond = int(max(0, -(centres.min() + cells.min()),
                     (centres.max(axis=0) + cells.max(axis=0) - heights.shape).max() + 1))
    padded = np.pad(heights, beyond, constant_values=-math.inf)
    width = padded.shape[1]
    first = (centres + beyond) @ np.array([width, 1])
    return np.asarray(padded.ravel()[first[:, None] + cells @ np.array([width, 1])])


def cells(part: Part) -> NDArray[np.int64]:
    """The cells (n, 2) that a part covers, relative to that of the thing's centre."""
    low = np.floor(part.outline.min(axis=0) / CELL_M).astype(int)
    high = np.ceil(part.outline.max(axis=0) / CELL_M).astype(int)
    found = np.stack(np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(low, high)),
                                 indexing='ij'), axis=-1).reshape(-1, 2)
    return found[part.outside_m(found * CELL_M) <= CELL_M / 2]
