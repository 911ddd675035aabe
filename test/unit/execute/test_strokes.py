"""Where the fingers start a stroke."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.execute.strokes import FINGER_M, STAND_OFF_M, strokes


@pytest.mark.parametrize(('direction', 'half_m'), [((1.0, 0.0), 0.10), ((0.0, 1.0), 0.03)],
                         ids=['along its axis', 'across its axis'])
def test_the_fingers_start_beside_a_can_that_lies(direction, half_m):
    """20 cm long and 6 cm across, with its axis along x."""
    can = SceneObject('can', Shape.CYLINDER, (0.06, 0.06, 0.20),
                      Pose.from_rpy(0.5, 0.0, 0.03, pitch=math.pi / 2))
    upright = next(strokes(can, np.array(direction), 0.08, 0.1))
    off = math.dist(upright.behind.position[:2], can.position[:2])
    assert off == pytest.approx(half_m + STAND_OFF_M + FINGER_M)
