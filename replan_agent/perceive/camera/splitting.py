# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which parts a blob of pixels shows.

Touching objects of one colour make one segment: cut it where its contour bends inwards. A printed
box has several colours on one face; so has a tower of cubes, so the caller says which it is.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from replan_agent.domain.scene import Shape

from .fitting import BAD_RMS_M, Fitted, fit
from .raycast import expected_depth
from .residual import is_explained, is_nearly_explained
from .segments import LEAST_PIXELS, Scan, Segment, blobs, by_colour, pieces, without_steps
from .view import CROSS, Array
from .whole_things import THINNEST_M, seam_between

SHADE = 'black'
BETTER_BY = 0.7  # the parts must fit this much better than the whole
LEAST_DENT_PX = 1.5
BEHIND_M = 0.02  # a larger step in depth: one thing stands behind the other,
MOST_JOINED = 0.1  # unless the depth goes on without a step at this share of where they meet
SMALL_STEP_M = 0.007  # a step in depth that may be between two things
EXPLAINED_M = 0.004  # a pixel this near to an object's expected depth belongs to it
APART_SHARE = 0.15  # of the contour: the two ends of a cut are at least this far apart along it


def parts_of_blob(picture: Scan, blob: Segment, stamp: float,
                  printed: bool = False) -> list[Fitted]:
    """The parts of a blob, one or more for each of its colours.

    If one part is as thin as print and one shape explains all colours together, then that is the
    only part: `printed` says that things may have print on them, and a black part may be a side
    in the shade.
    """
    colours = list(by_colour(picture, blob))
    parts = [part for each in colours for part in _beside_others(picture, blob, each, stamp)]
    if len(colours) > 1 and any(_is_thin(part) and (printed or part.thing.colour == SHADE)
                                for part in parts):
        whole = fit_parts(picture, blob, stamp)
        if len(whole) == 1 and whole[0].thing.shape in (Shape.BOX, Shape.CYLINDER) and (
                not _is_thin(whole[0]) and is_explained(picture, whole[0])):
            return whole
    return parts


def _beside_others(picture: Scan, blob: Segment, patch: Segment, stamp: float) -> list[Fitted]:
    """The parts of a patch of one colour. If it is no single shape, what touches it may cover it:
    then its contour there is not its own edge.
    """
    parts = fit_parts(picture, patch, stamp)
    if patch is blob or len(parts) == 1 and is_explained(picture, parts[0]):
        return parts
    (top, left), (height, width) = np.subtract(patch.corner, blob.corner), patch.mask.shape
    others = blob.mask[top:top + height, left:left + width] & ~patch.mask
    again = fit_parts(picture, replace(patch, foreign=others), stamp)
    return again if len(again) == 1 and is_explained(picture, again[0]) else parts


def _is_thin(part: Fitted) -> bool:
    return min(part.thing.size[:2]) < THINNEST_M


def fit_parts(picture: Scan, segment: Segment, stamp: float, depth: int = 2,
              whole: Fitted | None = None, ground_m: float = 0.0) -> list[Fitted]:
    """The objects that the segment shows: one, or several if its parts fit better.

    `whole` is the fit of the whole segment, if there is one already. `ground_m` is the height
    above the table of what they stand on.
    """
    whole = whole or fit(picture, segment, stamp, ground_m)
    if whole is None:
        return []
    solid = whole.thing.shape in (Shape.BOX, Shape.CYLINDER)
    if not depth or not solid:
        return [whole]
    if _is_good(picture, whole):
        return (_one_and_the_rest(picture, segment, _cuts(segment), stamp, depth, whole)
                if not is_explained(picture, whole) else [whole])
    limit, cuts = BETTER_BY * whole.rms, _cuts(segment)
    found = [_halves(picture, halves, stamp, depth - 1, limit, whole.ground_m) for halves in cuts]
    best = min((parts for parts in found if len(parts) >= 2), key=_worst, default=[whole])
    if _worst(best) >= limit:
        return _one_and_the_rest(picture, segment, cuts, stamp, depth, whole)
    peeled = _peeled(picture, segment, min(best, key=lambda part: part.rms), stamp, depth)
    return peeled if len(peeled) == len(best) and _worst(peeled) <= _worst(best) else best


def _is_good(picture: Scan, part: Fitted) -> bool:
    return part.rms < BAD_RMS_M + 1.5 * picture.table.noise_m


def _halves(picture: Scan, halves: list[Segment], stamp: float, depth: int,
            limit: float, ground_m: float) -> list[Fitted]:
    """The objects in the halves. Only beside a half that is one object, the other is cut again.

    None if one of them is not an object, or its `rms` is not below `limit` (m).
    """
    fits: list[Fitted] = []
    for half in halves:
        part = fit(picture, half, stamp, ground_m)
        if part is None or (not depth and part.rms >= limit):
            return []
        fits.append(part)
    good = [_is_good(picture, part) for part in fits]
    if not any(good) and _worst(fits) >= limit:
        return []
    if not any(is_explained(picture, part) for part in fits):
        return []  # they would be put together again
    return [one for half, part, is_good in zip(halves, fits, good)
            for one in ([part] if is_good or not any(good)
                        else fit_parts(picture, half, stamp, depth, part))]


def _one_and_the_rest(picture: Scan, segment: Segment, cuts: list[list[Segment]],
                      stamp: float, depth: int, whole: Fitted) -> list[Fitted]:
    """One object that half of a cut shows, and what is left without it; else the whole.

    A straight cut may leave a strip of one object with the other, whose contour is then wrong.
    All must explain what is seen, and one is in front of the others: the parts of a hammer are
    explained too.
    """
    if is_explained(picture, whole) or is_nearly_explained(picture, whole):
        return [whole]
    halves = (fit(picture, half, stamp, whole.ground_m)
              for cut in (*cuts, _by_steps(picture, segment)) for half in cut)
    found = [_peeled(picture, segment, half, stamp, depth, with_edge=True) for half in halves
             if half is not None and is_explained(picture, half)]
    return min((parts for parts in found if len(parts) >= 2
                and all(is_explained(picture, part) for part in parts)
                and all(_is_behind(picture, parts[0].segment, part.segment)
                        for part in parts[1:])),
               key=_worst, default=[whole])


def _is_behind(picture: Scan, one: Segment, other: Segment) -> bool:
    """Whether the depth jumps all along where the two meet in the picture."""
    seam = seam_between(picture, one, other)
    return seam is None or (seam.step_m > BEHIND_M and seam.joined < MOST_JOINED)


def _by_steps(picture: Scan, segment: Segment) -> list[Segment]:
    """The parts of the segment between small depth steps. A single thing may have such steps too.
    """
    (top, left), (height, width) = segment.corner, segment.mask.shape
    depth = picture.view.depth[top:top + height, left:left + width]
    labels = without_steps(depth, segment.mask, SMALL_STEP_M + 6 * picture.table.noise_m)
    found = [part.moved(top, left) for part in blobs(labels)]
    return found if len(found) > 1 else []


def _peeled(picture: Scan, segment: Segment, surest: Fitted, stamp: float, depth: int,
            with_edge: bool = False) -> list[Fitted]:
    """The best part, and the objects in the pixels that it does not explain.

    `with_edge`: the pixels next to those that it explains are its edge, and the others are behind
    it.
    """
    flat = segment.flat(picture.view.width_px)
    rays = picture.view.rays_of(flat).astype(float)
    expected = expected_depth(surest.thing, picture.view.origin, rays)
    own = np.zeros(segment.mask.shape, dtype=bool)
    own[segment.mask] = np.abs(expected - picture.view.depth.take(flat)) < EXPLAINED_M
    if with_edge:
        own = cv2.dilate(own.astype(np.uint8), CROSS).astype(bool) & segment.mask
    others = sorted(pieces(segment.mask & ~own, segment.corner), key=lambda piece: -piece.size)
    rest = others[0] if others else None
    if rest is None or (with_edge and (any(p.size >= LEAST_PIXELS for p in others[1:])
                                       or not _is_behind(picture, surest.segment, rest))):
        return [surest]
    (top, left), (height, width) = rest.corner, rest.mask.shape
    top, left = top - segment.corner[0], left - segment.corner[1]
    rest = replace(rest, foreign=own[top:top + height, left:left + width])
    return [surest, *fit_parts(picture, rest, stamp, depth - 1, ground_m=surest.ground_m)]


def _worst(parts: list[Fitted]) -> float:
    return max(part.rms for part in parts)


def _cuts(segment: Segment) -> list[list[Segment]]:
    """Ways to cut the segment in two: from its deepest dent to the next, or straight across."""
    padded = np.pad(segment.mask, 1).astype(np.uint8)
    contours, _ = cv2.findContours(padded, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=len)
    hull = cv2.convexHull(contour, returnPoints=False)
    hull[::-1].sort(axis=0)  # OpenCV needs sorted indices
    if (defects := cv2.convexityDefects(contour, hull)) is None:
        return []
    dents = [d for d in defects.reshape(-1, 4) if d[3] / 256 >= LEAST_DENT_PX]
    deep = sorted(dents, key=lambda d: -d[3])
    contour = contour.reshape(-1, 2)
    lines: dict[tuple[int, int], None] = {}  # each once: two dents may be each other's end
    for start in [int(d[2]) for d in deep[:2]]:
        ends = [int(d[2]) for d in deep if _apart(int(d[2]), start, len(contour))][:1]
        for end in [*ends, _across(contour, start)]:
            lines[min(start, end), max(start, end)] = None
    cuts = [_cut(padded, contour[start], contour[end], segment.corner) for start, end in lines]
    return [halves for halves in cuts if len(halves) == 2]


def _apart(first: int, second: int, length: int) -> bool:
    gap = abs(first - second)
    return min(gap, length - gap) >= APART_SHARE * length


def _across(contour: Array, start: int) -> int:
    """The contour point nearest to `start` that is not its neighbour along the contour."""
    distance = np.linalg.norm(contour - contour[start], axis=1)
    index = np.arange(len(contour))
    gap = np.minimum(np.abs(index - start), len(contour) - np.abs(index - start))
    distance[gap < APART_SHARE * len(contour)] = np.inf
    return int(np.argmin(distance))


def _cut(padded: Array, start: Array, end: Array, corner: tuple[int, int]) -> list[Segment]:
    """The two halves. The second gets the pixels of the cut."""
    cut = padded.copy()
    first, last = tuple(map(int, start)), tuple(map(int, end))
    cv2.line(cut, first, last, 0, 1, cv2.LINE_4)
    halves = pieces(cut.astype(bool), (corner[0] - 1, corner[1] - 1))
    return [half for half in halves if half.size >= LEAST_PIXELS]
