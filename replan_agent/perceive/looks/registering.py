# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far a thing of any shape was turned between two looks, from its outlines.

The thing is cut at a few heights. The cuts of one look, turned, must cover those of the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject

CELL_M, MOST_CELLS = 0.004, 192  # a huge thing gets larger cells, not more of them
LEVELS = (0.1, 0.4, 0.7)  # of the height: where the thing is cut
STEPS = 72  # turns that are compared, all around
APART_RAD = math.radians(35)  # a turn that differs by more is another one
CLEARLY = 0.04  # by this much more of the outlines must agree than for any other turn
SAME = 0.9  # so much in common: the same look again
ALIKE = 0.6  # less in common than this, and it is not known which turn it was


@dataclass(frozen=True)
class Turn:
    """The turn about the vertical (rad) from one look to the other, and whether it is sure."""

    angle: float
    sure: bool


@dataclass(frozen=True)
class _Grid:
    """A square picture: cells on a side, and how long a cell is (m)."""

    side: int
    cell_m: float

    @staticmethod
    def over(length_m: float) -> _Grid:
        cell_m = max(CELL_M, length_m / MOST_CELLS)
        return _Grid(cv2.getOptimalDFTSize(math.ceil(length_m / cell_m) + 2), cell_m)


def turn_between(before: SceneObject, now: SceneObject, moved: bool = True) -> Turn:
    """How far `now` is turned against `before`, from the shapes of the two alone.

    What was not moved is not turned either, unless its outline says so.
    """
    grid = _Grid.over(math.hypot(*before.size) + math.hypot(*now.size))
    outline = _cuts(now, 0.0, grid)
    there = np.fft.rfft2(outline), float(outline.sum())
    if not moved and _in_common(_cuts(before, 0.0, grid), there) >= SAME:
        return Turn(0.0, True)
    angles = np.arange(STEPS) * math.tau / STEPS
    shares = np.array([_in_common(_cuts(before, a, grid), there) for a in angles])
    best = int(shares.argmax())
    if not moved and shares[best] - shares[0] < CLEARLY:
        return Turn(0.0, bool(shares[0] >= ALIKE))
    apart = np.abs(np.remainder(angles - angles[best] + math.pi, math.tau) - math.pi) > APART_RAD
    sure = shares[best] >= ALIKE and shares[best] - shares[apart].max() >= CLEARLY
    return Turn(math.remainder(float(angles[best] + _peak(shares, best)), math.tau), bool(sure))


def framed(thing: SceneObject, yaw: float) -> SceneObject:
    """The same irregular thing described in a frame with that yaw."""
    turn = Pose.from_rpy(0, 0, 0, yaw=yaw).rotation
    corners = [piece.corners @ thing.pose.rotation.T @ turn for piece in thing.pieces]
    every = np.concatenate(corners)
    low, high = every.min(axis=0), every.max(axis=0)
    middle = (low + high) / 2
    pieces = tuple(Piece.around(c - middle, p.guessed) for c, p in zip(corners, thing.pieces))
    x, y, z = np.asarray(thing.position) + turn @ middle
    length, width, height = (float(v) for v in high - low)
    return replace(thing, size=(length, width, height), pieces=pieces,
                   pose=Pose.from_rpy(float(x), float(y), float(z), yaw=yaw))


def _cuts(thing: SceneObject, turn: float, grid: _Grid) -> FloatArray:
    """The outline at each level as a picture (levels, side, side) of ones, turned."""
    rotation = Pose.from_rpy(0, 0, 0, yaw=turn).rotation @ thing.pose.rotation
    corners = [piece.corners @ rotation.T for piece in thing.pieces]
    every = np.concatenate(corners)
    bottom, height = every[:, 2].min(), float(np.ptp(every[:, 2]))
    found = np.zeros((len(LEVELS), grid.side, grid.side))
    for level, picture in zip(LEVELS, found):
        for piece in corners:
            if piece[:, 2].max() >= bottom + level * height:
                cells = np.rint(piece[:, :2] / grid.cell_m + grid.side / 2).astype(np.int32)
                cv2.fillConvexPoly(picture, cv2.convexHull(cells), 1.0)
    return found


def _in_common(cuts: FloatArray, there: tuple[np.ndarray, float]) -> float:
    """The share of both outlines that covers each other, shifted to where it is most."""
    spectra, area = there
    overlap = np.fft.irfft2((np.conj(np.fft.rfft2(cuts)) * spectra).sum(axis=0), cuts.shape[1:])
    most = float(overlap.max())
    return most / (area + float(cuts.sum()) - most)


def _peak(shares: FloatArray, best: int) -> float:
    """How far (rad) the top of the curve is from its highest sample."""
    left, middle, right = (shares[(best + k) % STEPS] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else 0.5 * float(left - right) / float(bend) * math.tau / STEPS
