# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Franka's geometry once joint 7 is chosen, shared by the analytic IK and the proof.

Derived from the DH table. Let d = shoulder - origin of link 7, and alpha, beta, gamma its
components along link 7's axes. The wrist centre (the common origin of links 5 and 6) is 0.088 m
from link 7's origin along x6, so the vector v from the wrist centre to the shoulder is, in link
6's axes,

    v = (X + A7, -gamma, Z),  X = alpha cos q7 - beta sin q7,  Z = alpha sin q7 + beta cos q7

Its length fixes the elbow q4 (law of cosines, two ways). In link 4's axes v = (sx, sz, 0) with

    sx = A4 - A4 cos q4 - D3 sin q4,  sz = A4 sin q4 - D3 cos q4 - D5

Joint 5's axis z5 is normal to z6 and has v·z5 = sz, which gives q6 (two ways) from X alone, and
then q5 from v·z6 = Z. Joints 1 to 3 give the remaining rotation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray

from .franka_kinematics import T_LINK7_TCP
from .franka_numbers import DH_A, DH_D

SHOULDER_M = np.array([0.0, 0.0, DH_D[0]])
D3, D5 = DH_D[2], DH_D[4]
A4, A7 = DH_A[3], DH_A[6]
UPPER_ARM_M, FOREARM_M = float(np.hypot(D3, A4)), float(np.hypot(D5, A4))
MAX_REACH_M = UPPER_ARM_M + FOREARM_M  # shoulder to wrist centre, arm stretched
# Shoulder, elbow and wrist centre are in line at q4 = -ELBOW_OFFSET, because of the two A4.
ELBOW_OFFSET = float(np.arctan2(A4, D3) + np.arctan2(A4, D5))
# Cosine of the angle between upper arm and forearm: it falls with the squared reach.
COS_APEX_PER_M2 = 1 / (2 * UPPER_ARM_M * FOREARM_M)
COS_APEX_AT_0 = (UPPER_ARM_M**2 + FOREARM_M**2) * COS_APEX_PER_M2
UPPER_ARM_LEAN = float(np.arctan2(A4, D3))  # of the elbow's joint axis, seen from the shoulder
_T_TCP_LINK7 = np.linalg.inv(T_LINK7_TCP)


class Link7(NamedTuple):
    """Link 7's axes (K, 3) in the base frame, and d = shoulder - origin along them (K,) m."""

    x: FloatArray
    y: FloatArray
    z: FloatArray
    alpha: FloatArray
    beta: FloatArray
    gamma: FloatArray
    distance2: FloatArray  # |d|², m²

    def of(self, poses: NDArray[np.intp]) -> Link7:
        """Those of these poses."""
        return self if len(poses) == len(self.x) else Link7(*(part[poses] for part in self))


def link7_from_tcp(T_base_tcp: FloatArray) -> Link7:
    """Link 7 for these TCP poses (K, 4, 4)."""
    T = T_base_tcp @ _T_TCP_LINK7
    axes, d = T[:, :3, :3], SHOULDER_M - T[:, :3, 3]
    along = (d[:, None] @ axes)[:, 0]
    return Link7(axes[:, :, 0], axes[:, :, 1], axes[:, :, 2], along[:, 0], along[:, 1],
                 along[:, 2], (d * d).sum(axis=1))


def elbow_angles(reach2: FloatArray, upper: float) -> FloatArray:
    """q4 of the folded elbow (1, ...). Where one below `upper` is stretched, of both (2, ...).

    It is NaN if the triangle with a shoulder-wrist distance of that square (m²) does not close.
    """
    apex = np.arccos(COS_APEX_AT_0 - reach2 * COS_APEX_PER_M2)
    q4 = (apex - (np.pi + ELBOW_OFFSET))[None]
    if np.fmax.reduce(apex, axis=None) < np.pi - ELBOW_OFFSET - upper:
        return np.asarray(q4)
    return np.concatenate([q4, (np.pi - ELBOW_OFFSET - apex)[None]])


def beyond_reach_m(link7: Link7) -> FloatArray:
    """How far the nearest possible wrist centre is beyond the stretched arm (m); <= 0: within.

    The wrist centre lies on a circle of radius A7 about link 7's origin, normal to z7. Moving the
    target moves that circle by the same distance. So without turning, the target must come at
    least this much closer.
    """
    in_plane = np.hypot(link7.alpha, link7.beta)
    return np.asarray(np.hypot(link7.gamma, np.abs(in_plane - A7)) - MAX_REACH_M)
