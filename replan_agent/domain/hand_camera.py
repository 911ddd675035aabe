"""A depth camera on the hand: where it is mounted, its lens and its outline.

It sits on a bracket at the front of the hand and looks along the fingers, as a RealSense does on
most Franka cells. `replan-agent calibrate --eye-in-hand` measures where it really is.
"""

from __future__ import annotations

import numpy as np

from . import franka
from .franka_links import Box
from .pose import FloatArray, Pose

# In the hand's frame, optical: x right is the hand's y, y down is towards the fingers, z ahead.
T_HAND_CAMERA = Pose((0.068, 0.0, 0.040), (0.5**0.5, 0.0, 0.0, 0.5**0.5))
FOVY_DEG = 58.0
SIZE_PX = (640, 480)
BODY = Box((0.055, 0.0, 0.024), (0.047, 0.100, 0.030))  # camera and bracket, in the hand's frame


def T_base_camera(T_base_tcp: FloatArray, T_hand_camera: Pose = T_HAND_CAMERA) -> Pose:
    """The camera's pose from that of the tool, which the encoders give."""
    hand = np.asarray(T_base_tcp) @ T_TCP_HAND
    return Pose.from_matrix(hand @ T_hand_camera.matrix())


T_TCP_HAND = np.eye(4)
T_TCP_HAND[2, 3] = -franka.TCP_M
