# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Groups of pixels: one segment for each object on the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import FLATTEST_SEEN_M

from .naming import colour_classes
from .plane import Plane
from .view import NOISY_M, SQUARE, Array, Bools, View

LOWEST_M = 0.005  # lower than this above the table is still table
FLATTEST_M = 0.0065
HIGHEST_M = 0.9
LEAST_PIXELS = 30
LEAST_SHARE = 0.12  # of its blob: a smaller colour patch is a reflection, not an object
EDGE_M = 0.014  # a larger depth step between neighbours is an edge between objects
_Found = TypeVar('_Found')


@dataclass(frozen=True)
class Scan:
    """Input of segmentation and fitting: the view, the table, heights (m) and the arm's pixels."""

    view: View
    table: Plane
    heights: FloatArray
    arm: Bools  # pixels that show the arm
    _found: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False,
                                        compare=False)

    def once(self, key: Hashable, find: Callable[[], _Found]) -> _Found:
        """What `find` returns; the same value again for the same key."""
        if key not in self._found:
            self._found[key] = find()
        found: _Found = self._found[key]
        return found

    @property
    def least_height_m(self) -> float:
        """A thing flatter than this is noise."""
        return FLATTEST_M if self.table.noise_m < NOISY_M else FLATTEST_SEEN_M

    @property
    def lowest_m(self) -> float:
        """Above this height a pixel cannot be table noise."""
        return max(LOWEST_M, 4 * self.table.noise_m)


@dataclass(frozen=True)
class Segment:
    """A patch of pixels: the corner (row, column) of its box in the picture, and its mask.

    `foreign` marks pixels of the box that belong to something that touches the patch. Where the
    patch ends at those, its contour is not its own edge.
    """

    corner: tuple[int, int]
    mask: Bools
    foreign: Bools | None = None

    @cached_property
    def pixels(self) -> tuple[Array, Array]:
        """Rows and columns in the whole picture."""
        rows, columns = np.divmod(self._in_box, self.mask.shape[1])
        return rows + self.corner[0], columns + self.corner[1]

    def flat(self, width_px: int) -> Array:
        """Its pixels `row * width_px + column` in a picture of that width, row by row."""
        if width_px not in self._flat:
            width = self.mask.shape[1]
            flat = self._in_box // width
            flat *= width_px - width
            flat += self._in_box
            flat += self.corner[0] * width_px + self.corner[1]
            self._flat[width_px] = flat
        return self._flat[width_px]

    @cached_property
    def _flat(self) -> dict[int, Array]:
        return {}

    @cached_property
    def _in_box(self) -> Array:
        return self.mask.ravel().nonzero()[0]

    @cached_property
    def size(self) -> int:
        return int(np.count_nonzero(self.mask))

    @cached_property
    def key(self) -> Hashable:
        """Equal for segments of the same pixels beside the same others."""
        beside = None if self.foreign is None else self.foreign.tobytes()
        return self.corner, self.mask.shape, self.mask.tobytes(), beside

    def moved(self, rows: int, columns: int) -> Segment:
        """The same patch, moved down and to the right."""
        return replace(self, corner=(self.corner[0] + rows, self.corner[1] + columns))


def raised_mask(view: View, heights: FloatArray, lowest_m: float) -> Bools:
    """Pixels that are higher than the table: of the arm, of things, and of what is beside it."""
    in_range: Array = cv2.inRange(heights, lowest_m, HIGHEST_M)  # 0 or 255
    return np.asarray((in_range & (view.depth > 0).view(np.uint8)).view(bool))


def above_table(view: View, table: Plane, mask: Bools) -> Bools:
    """Those pixels of the mask that are above the visible part of the table."""
    flat = mask.reshape(-1).nonzero()[0]
    depth = view.depth.take(flat)
    above = np.ones(len(flat), dtype=bool)
    for axis in (0, 1):
        at = view.rays.take(3 * flat + axis)
        at *= depth
        at += np.float32(view.origin[axis])
        above &= (at > table.low[axis]) & (at < table.high[axis])
    found = np.zeros_like(mask)
    found.reshape(-1)[flat[above]] = True
    return found


def find_blobs(picture: Scan, mask: Bools) -> list[Segment]:
    """The blobs of `mask`: connected, without depth steps, of any colours."""
    step = EDGE_M + 6 * picture.table.noise_m
    left, top, width, height = cv2.boundingRect(mask.view(np.uint8))
    box = np.s_[top:top + height, left:left + width]
    if not width:
        return []
    labels = without_steps(picture.view.depth[box], mask[box], step)
    return [blob.moved(top, left) for blob in blobs(labels)]


def without_steps(depth: Array, free: Bools, step: float) -> Array:
    """Labels of the connected parts of `free`, cut where the depth jumps by `step` (m)."""
    filled = depth.copy()
    np.copyto(filled, 10.0, where=depth <= 0)
    core = free.copy()
    across, down = filled[:, 1:] - filled[:, :-1], filled[1:] - filled[:-1]
    # The nearer pixel of a pair is the edge of the front object: cut only the farther one.
    core[:, 1:] &= across <= step
    core[:, :-1] &= across >= -step
    core[1:] &= down <= step
    core[:-1] &= down >= -step
    _, labels = cv2.connectedComponents(core.view(np.uint8), connectivity=4, ltype=cv2.CV_32S)
    return _with_rest(labels, free, filled, step)


def _with_rest(labels: Array, free: Bools, depth: Array, step: float) -> Array:
    """Give each cut-off pixel to a neighbouring part at the same depth, if there is one."""
    height, width = labels.shape
    flat = np.flatnonzero(free & (labels == 0))
    rows, columns = np.divmod(flat, width)
    others = (flat + (columns < width - 1), flat - (columns > 0),
              flat + width * (rows < height - 1), flat - width * (rows > 0))
    own, own_depth = np.zeros(len(flat), labels.dtype), depth.take(flat)
    best: Array = np.full(len(flat), step, np.float32)
    for other in others:
        label, gap = labels.take(other), np.abs(depth.take(other) - own_depth)
        nearer = (label > 0) & (gap < best)
        own, best = np.where(nearer, label, own), np.where(nearer, gap, best)
    labels.reshape(-1)[flat] = own
    return labels


def blobs(labels: Array) -> Iterator[Segment]:
    from scipy.ndimage import find_objects  # here: slow to import, and only a camera needs it

    for label, box in enumerate(find_objects(labels), 1):
        if box is not None:
            blob = Segment((box[0].start, box[1].start), labels[box] == label)
            if blob.size >= LEAST_PIXELS:
                yield blob


def by_colour(picture: Scan, blob: Segment) -> Iterator[Segment]:
    """The blob cut into its colours. Patches too small for an object join the colour around."""
    classes = colour_classes(picture.view.colours_of(blob.flat(picture.view.width_px)))
    counts = np.bincount(classes)
    least = max(LEAST_PIXELS, LEAST_SHARE * min(len(classes), 800))
    kept = [c for c, count in enumerate(counts.tolist()) if count >= least]
    if len(kept) <= 1:
        yield blob
        return
    canvas = np.full(blob.mask.shape, -1, dtype=np.int32)
    canvas[blob.mask] = np.where(np.isin(classes, kept), classes.astype(np.int32), -1)
    canvas = _spread(canvas, blob.mask)
    for colour in kept:
        yield from pieces(canvas == colour, blob.corner)


def pieces(mask: Bools, corner: tuple[int, int]) -> list[Segment]:
    """The connected pieces of a mask whose upper left corner is at `corner` (row, column)."""
    _, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=4, ltype=cv2.CV_32S)
    return [piece.moved(*corner) for piece in blobs(labels)]


def _spread(canvas: Array, mask: Bools) -> Array:
    """Pixels without a colour (-1) take that of a neighbour, from the border inwards."""
    for _ in range(12):
        if not (open_yet := mask & (canvas < 0)).any():
            break
        grown = cv2.dilate(canvas.astype(np.float32), SQUARE).astype(np.int32)
        canvas = np.where(open_yet, grown, canvas)
    return canvas
