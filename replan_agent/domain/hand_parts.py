"""The outline of the hand from above while it puts something down: fingers and palm."""

from __future__ import annotations

import numpy as np

from . import franka
from .outlines import Part, part_around
from .pose import Pose

# In the frame of the tool centre point: half the width of a finger, its thickness at the pad and
# at the block that slides in the hand, where that block begins, and the palm.
HALF_FINGER_M = 0.0105
FINGER_M, BLOCK_M = 0.014, 0.0265
BLOCK_BEHIND_M = 0.025
HALF_PALM_M, HALF_HAND_M, HAND_HEIGHT_M = 0.0335, 0.103, 0.07


def hand_parts(tcp: Pose, width_m: float, spread_m: float) -> list[Part]:
    """The hand with its pads `width_m` apart, and the room that they need to open by `spread_m`.
    """
    inner, opens = width_m / 2, spread_m / 2
    boxes = [((-HALF_PALM_M, HALF_PALM_M), (-HALF_HAND_M, HALF_HAND_M),
              (-franka.PALM_ABOVE_TCP_M - HAND_HEIGHT_M, -franka.PALM_ABOVE_TCP_M))]
    for thick, z in ((FINGER_M, (-BLOCK_BEHIND_M, franka.TIP_BEYOND_TCP_M)),
                     (BLOCK_M, (-franka.PALM_ABOVE_TCP_M, -BLOCK_BEHIND_M))):
        outer = inner + thick + opens
        boxes += [((-HALF_FINGER_M, HALF_FINGER_M), y, z)
                  for y in ((inner, outer), (-outer, -inner))]
    T, corners = tcp.matrix(), np.array(list(np.ndindex(2, 2, 2)))
    return [part_around(_corners(box, corners) @ T[:3, :3].T + T[:3, 3]) for box in boxes]


def _corners(box: tuple[tuple[float, float], ...], which: np.ndarray) -> np.ndarray:
    low, high = np.array(box).T
    return np.asarray(low + which * (high - low))
