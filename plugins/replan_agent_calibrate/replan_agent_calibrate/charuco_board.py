# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ChArUco board: the pattern to print, and its corners in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int_]

CELLS = 8  # per side of a square: a marker of 6 by 6 cells and a white border
MARKER_SHARE = 6 / CELLS
MARKERS = 50  # in DICT_4X4_50


class CalibrationError(Exception):
    """Calibration is not possible; the message says why and what would help."""


@dataclass(frozen=True)
class Seen:
    """Corners of a board in one picture: their numbers and pixels (n, 2)."""

    ids: IntArray
    pixels: FloatArray


@dataclass(frozen=True)
class Board:
    """`columns` by `rows` squares of `square_m`. Its frame: x right, y down, z into the board,
    from the outer corner of the first square."""

    columns: int = 5
    rows: int = 4
    square_m: float = 0.05

    @staticmethod
    def parse(text: str) -> Board:
        """The board of 'COLUMNSxROWSxSQUARE_MM', e.g. '5x4x50'; raises CalibrationError."""
        try:
            columns, rows, square_mm = text.lower().split('x')
            board = Board(int(columns), int(rows), float(square_mm) / 1000)
        except ValueError as error:
            raise CalibrationError(f'{text!r} is not COLUMNSxROWSxSQUARE_MM, e.g. 5x4x50'
                                   ) from error
        board.corners()  # raises if such a board is impossible
        return board

    @property
    def size_m(self) -> tuple[float, float]:
        return self.columns * self.square_m, self.rows * self.square_m

    def corners(self) -> FloatArray:
        """The inner corners (n, 3), m, in the board's frame."""
        return np.asarray(self._charuco().getChessboardCorners(), dtype=float).reshape(-1, 3)

    def cells(self) -> BoolArray:
        """The pattern, one value per cell: True is black."""
        size = (self.columns * CELLS, self.rows * CELLS)
        return np.asarray(self._charuco().generateImage(size, marginSize=0)) < 128

    def picture(self, pixels_per_cell: int) -> NDArray[np.uint8]:
        """The pattern to print, grey values, without a margin."""
        black = np.kron(self.cells(), np.ones((pixels_per_cell, pixels_per_cell), dtype=bool))
        return np.where(black, 0, 255).astype(np.uint8)

    def find(self, rgb: FloatArray) -> Seen:
        """The corners seen in a picture (h, w, 3 uint8); empty if there is no board."""
        grey = cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2GRAY)
        pixels, ids, _, _ = cv2.aruco.CharucoDetector(self._charuco()).detectBoard(grey)
        if ids is None:
            return Seen(np.zeros(0, dtype=int), np.zeros((0, 2)))
        return Seen(np.asarray(ids, dtype=int).ravel(),
                    np.asarray(pixels, dtype=float).reshape(-1, 2))

    def _charuco(self) -> Any:
        if not hasattr(getattr(cv2, 'aruco', None), 'CharucoDetector'):
            raise CalibrationError(f'OpenCV {cv2.__version__} here has no ChArUco detector; '
                                   "install one with: pip install 'opencv-python-headless>=4.8'")
        if min(self.columns, self.rows) < 3 or not 0 < self.square_m < math.inf:
            raise CalibrationError(f'a board of {self.columns}x{self.rows} squares of '
                                   f'{self.square_m} m is not possible: use at least 3x3 squares')
        if self.columns * self.rows // 2 > MARKERS:
            raise CalibrationError(f'a board of {self.columns}x{self.rows} squares has more than '
                                   f'{MARKERS} markers: use at most {2 * MARKERS} squares')
        aruco = cv2.aruco
        markers = aruco.getPredefinedDictionary(aruco.DICT_4X4_50)
        return aruco.CharucoBoard((self.columns, self.rows), self.square_m,
                                  MARKER_SHARE * self.square_m, markers)
