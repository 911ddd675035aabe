# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What one picture shows: the table, and every thing on it or above it, without names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.port_errors import PerceptionError

from . import standing
from .arm_mask import arm_mask
from .fitting import Fitted
from .plane import Area, find_table, widest
from .segments import LOWEST_M, Scan, above_table, find_blobs, raised_mask
from .splitting import parts_of_blob
from .view import NOISY_M, SQUARE, Array, Bools, View, smoothed
from .whole_things import whole_things

LEAST_CONFIDENCE = 0.15  # less certain objects are not reported
FLATTEST_M = 0.0015  # a part lower than this, or than
NOISES = 6  # times the table's noise, cannot be told from the table
NARROWEST_M = 0.008  # the foot of any thing is a narrower strip of low pixels
EVERY = 16  # n-th pixel shows how far away the table is, and its colour
MOST_PARTS = 30  # the largest ones: on a noisy table there may be hundreds of specks


@dataclass(frozen=True, eq=False)
class OneLook:
    """One picture and the fits that it shows."""

    picture: Scan
    fits: tuple[Fitted, ...]

    @property
    def view(self) -> View:
        return self.picture.view


def look(view: View, arm: ArmModel, joints: np.ndarray, gripper_width: float, stamp: float,
         eye_in_hand: bool = False, printed: bool = False,
         known: Area | None = None) -> OneLook:
    """What is seen in this view. Raises PerceptionError without a table.

    `joints` (rad) are those of the arm in the picture. `eye_in_hand`: it carries a camera.
    `printed`: things may have print on them. `known` is where the table is known to be: things
    are looked for above all of it.
    """
    table = find_table(view, arm)
    if table is not None and table.noise_m > NOISY_M:
        view = View(replace(view.frame, depth=smoothed(view.depth, table.noise_m)))
        table = find_table(view, arm)
    if table is None:
        raise PerceptionError('no table in the picture' if view.depth.any()
                              else 'the picture has no depth')
    if known is not None:
        table = widest([table, replace(table, low=known[0], high=known[1])])
    heights = table.heights(view)
    raised = raised_mask(view, heights, max(LOWEST_M, 4 * table.noise_m))
    links = arm.kinematics.link_frames(joints)
    own = arm_mask(view, arm, links, gripper_width, raised, eye_in_hand)
    picture = Scan(view, table, heights, own)
    mask = above_table(view, table, raised ^ own)
    mask |= flat_parts(picture, mask)
    parts = [part for blob in find_blobs(picture, mask)
             for part in parts_of_blob(picture, blob, stamp, printed)]
    parts = parts if printed else standing.below_others(picture, standing.around_others(parts))
    parts = standing.with_contents(picture, parts, stamp)
    fits = whole_things(picture, standing.on_inner_floors(picture, parts, stamp), stamp)
    fits = standing.on_flat_things(picture, fits, stamp)
    fits = standing.on_their_feet(picture, fits, links[-1][:3, 3])
    return OneLook(picture, tuple(fit for fit in fits if fit.confidence >= LEAST_CONFIDENCE))


def flat_parts(picture: Scan, things: Bools) -> Bools:
    """The pixels of flat parts that touch `things` and look like them, not like the table."""
    least = max(FLATTEST_M, NOISES * picture.table.noise_m)
    low: Array = cv2.inRange(picture.heights, least, picture.lowest_m)  # has depth, no arm
    width = _pixels(picture, NARROWEST_M)
    core = cv2.erode(low, np.ones((width, width), np.uint8))
    found = np.zeros_like(things)
    if not core.any():
        return found
    wide = cv2.dilate(core, np.ones((width + 2, width + 2), np.uint8)) & low
    left, top, columns, rows = cv2.boundingRect(wide)  # counting is slow on a whole picture
    labels = np.zeros(wide.shape, np.int32)
    inner = np.s_[top:top + rows, left:left + columns]
    _, labels[inner], stats, _ = cv2.connectedComponentsWithStats(
        np.ascontiguousarray(wide[inner]), connectivity=4, ltype=cv2.CV_32S)
    stats[:, :2] += (left, top)
    table = _colour(picture.view.rgb[::EVERY, ::EVERY],
                    np.abs(picture.heights[::EVERY, ::EVERY]) < least)
    areas = stats[1:, cv2.CC_STAT_AREA]
    for label in 1 + np.argsort(-areas, kind='stable')[:MOST_PARTS]:
        around = _around(stats[label])
        part = labels[around] == label
        beside = cv2.dilate(part.view(np.uint8), SQUARE).astype(bool) & things[around]
        if beside.any():
            own, thing = (_colour(picture.view.rgb[around], pixels) for pixels in (part, beside))
            if np.linalg.norm(own - thing) < np.linalg.norm(own - table):
                found[around] |= part
    return found


def _around(stats: Array) -> tuple[slice, slice]:
    """The rows and columns of a component, and one more on each side."""
    left, top, width, height = (int(v) for v in stats[:4])
    return (slice(max(0, top - 1), top + height + 1), slice(max(0, left - 1), left + width + 1))


def _pixels(picture: Scan, length_m: float) -> int:
    """How many pixels such a length is at the middle of the table."""
    depth = picture.view.depth.reshape(-1)[::EVERY]
    depth = depth[depth > 0]  # some are: the table was found in it
    away = float(np.median(depth)) if len(depth) else 1.0
    return max(2, math.ceil(length_m * float(picture.view.K[0, 0]) / away))


def _colour(rgb: Array, pixels: Bools) -> Array:
    """The median colour (RGB) of these pixels."""
    shown = rgb[pixels]
    return np.asarray(np.median(shown, axis=0) if len(shown) else np.full(3, np.inf))
