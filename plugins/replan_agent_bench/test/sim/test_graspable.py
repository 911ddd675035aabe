# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search over true shapes: what a gripper of this width can take where it lies."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_bench.worlds.graspable import is_graspable

from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)


def lying(*pieces: Piece, x: float = 0.5) -> SceneObject:
    corners = np.concatenate([piece.corners for piece in pieces])
    low, high = corners.min(axis=0), corners.max(axis=0)
    a, b, c = (float(side) for side in high - low)
    return SceneObject('it', Shape.IRREGULAR, (a, b, c), Pose((x, 0.0, -float(low[2]))),
                       pieces=pieces)


def block(size: tuple[float, float, float], z: float = 0.0) -> Piece:
    return Piece.around(box_piece(size).corners + (0, 0, z))


CONE = Piece.around(np.array([(0.03 * np.cos(a), 0.03 * np.sin(a), 0.0)
                              for a in np.linspace(0, 2 * np.pi, 24)] + [(0, 0, 0.012)]))


@pytest.mark.parametrize(('thing', 'expected'), [
    (lying(block((0.04, 0.04, 0.04))), True),
    (lying(block((0.1, 0.1, 0.1))), False),
    (lying(block((0.12, 0.12, 0.02)), block((0.02, 0.02, 0.03), z=0.025)), True),
    (lying(block((0.008, 0.008, 0.03)), x=0.98), False),
    (lying(CONE), False),
], ids=['a cube', 'too wide everywhere', 'wide, with a knob', 'out of reach', 'too slanted'])
def test_a_thing_can_be_grasped_where_two_faces_the_hand_and_the_arm_allow_it(
        thing: SceneObject, expected: bool) -> None:
    assert is_graspable(thing, TABLE, friction=0.5) is expected
