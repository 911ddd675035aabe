# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The outline of the hand from above while it puts something down: fingers and palm."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import Pose

from ..outlines import Part, part_around

BESIDE_PALM_M = 0.0005, 0.001  # free space beside the palm: along x and y


def half_hand_m(hand: HandShape) -> float:
    """How far the hand reaches to each side, with the space that it needs."""
    return hand.half_width_m + BESIDE_PALM_M[1]


def hand_parts(hand: HandShape, tcp: Pose, width_m: float, spread_m: float) -> list[Part]:
    """The hand with its pads `width_m` apart, and their room to open by `spread_m`."""
    inner, opens = width_m / 2, spread_m / 2
    deep, wide = hand.half_depth_m + BESIDE_PALM_M[0], half_hand_m(hand)
    palm = hand.palm_above_tcp_m
    boxes = [((-deep, deep), (-wide, wide), (-palm - hand.height_m, -palm))]
    for thick, z in ((hand.finger_m, (-hand.block_behind_m, hand.tip_beyond_tcp_m)),
                     (hand.block_m, (-palm, -hand.block_behind_m))):
        outer = inner + thick + opens
        boxes += [((-hand.half_finger_m, hand.half_finger_m), y, z)
                  for y in ((inner, outer), (-outer, -inner))]
    T, which = tcp.matrix(), np.array(list(np.ndindex(2, 2, 2)))
    return [part_around((low + which * (high - low)) @ T[:3, :3].T + T[:3, 3])
            for low, high in np.array(boxes).transpose(0, 2, 1)]
