"""Published numbers of the Franka arms: geometry, home position and joint limits.

Panda and FR3 share their kinematics and differ in limits. Sources: Franka Control Interface
documentation, "Robot and interface specifications".
"""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.trajectory import JointLimits

JOINTS = 7

# Craig's (modified) Denavit-Hartenberg table, joints 1 to 7: m, m, rad.
DH_A = (0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088)
DH_D = (0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0)
DH_ALPHA = (0.0, -math.pi / 2, math.pi / 2, math.pi / 2, -math.pi / 2, math.pi / 2, math.pi / 2)

FLANGE_M = 0.107  # joint 7 to the flange, along z
HAND_YAW = -math.pi / 4  # hand about the flange's z
TCP_M = 0.1034  # hand frame to the centre of the finger pads, along z

HOME = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)

_EFFORT = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)

_PANDA = {
    'lower': (-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973),
    'upper': (2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973),
    'velocity': (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61),
    'acceleration': (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0),
    'jerk': (7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0),
    'effort': _EFFORT,
}
_FR3 = {
    'lower': (-2.7437, -1.7837, -2.9007, -3.0421, -2.8065, 0.5445, -3.0159),
    'upper': (2.7437, 1.7837, 2.9007, -0.1518, 2.8065, 4.5169, 3.0159),
    'velocity': (2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26),
    'acceleration': (10.0,) * 7,
    'jerk': (5000.0,) * 7,
    'effort': _EFFORT,
}
_LIMITS = {'panda': _PANDA, 'fr3': _FR3}


def limits(model: str) -> JointLimits:
    """The published joint limits; the names are as in the robot's URDF."""
    arrays = {key: np.array(values) for key, values in _LIMITS[model].items()}
    return JointLimits(tuple(f'{model}_joint{i}' for i in range(1, JOINTS + 1)), **arrays)
