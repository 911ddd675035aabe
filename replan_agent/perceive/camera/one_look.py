# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What one picture shows: the table, and every thing on it or above it, without names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.port_errors import PerceptionError

from . import standing
from .arm_mask import arm_mask
from .fitting import Fitted
from .flat_parts import flat_parts
from .plane import Area, find_table, widest
from .segments import LOWEST_M, Scan, above_table, find_blobs, raised_mask
from .splitting import parts_of_blob
from .view import NOISY_M, View, smoothed
from .whole_things import whole_things

LEAST_CONFIDENCE = 0.15  # less certain objects are not reported


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
