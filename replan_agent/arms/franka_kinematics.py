# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobian of the Franka arms, from the table in `domain.franka`."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.pose import FloatArray

from . import franka_numbers as franka
from .franka_numbers import FLANGE_M, HAND_YAW, JOINTS, TCP_M

# The rows of the Craig (modified) DH table: Rx(alpha) Tx(a) Rz(theta) Tz(d). Each is a and d (m),
# and alpha in units of pi/2: only -1, 0 and 1 occur.
DH_TABLE = tuple((a, d, round(alpha / (math.pi / 2)))
                 for a, d, alpha in zip(franka.DH_A, franka.DH_D, franka.DH_ALPHA, strict=True))

HOME = np.array(franka.HOME)
HOME.setflags(write=False)

# One frame as twelve floats: the x, y and z axis and the origin, in the base frame. For a single
# configuration, plain floats are several times faster than 4x4 arrays.
_Frame = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


class FrankaKinematics:
    """Forward kinematics and Jacobian of a Franka arm with its hand (TCP between the fingers)."""

    def __init__(self, model: str = 'panda') -> None:
        self.model = model
        self.limits = franka.limits(model)
        self._last: tuple[list[float], list[_Frame]] = [], []  # the Jacobian follows the pose

    def forward(self, joints: FloatArray) -> FloatArray:
        """T_base_tcp (4x4) at `joints`; a batch (..., 7) gives (..., 4, 4)."""
        joints = _checked(joints)
        if joints.ndim == 1:
            return _matrix(self._chain(joints)[-1])
        return np.asarray(_batch_chain(joints, only_tcp=True)[..., 0, :, :])

    def link_frames(self, joints: FloatArray) -> FloatArray:
        """Links 1 to 7, flange and TCP in the base frame: (9, 4, 4), or (..., 9, 4, 4)."""
        joints = _checked(joints)
        if joints.ndim == 1:
            return np.stack([_matrix(frame) for frame in self._chain(joints)])
        return _batch_chain(joints)

    def jacobian(self, joints: FloatArray) -> FloatArray:
        """Geometric Jacobian (6, 7) of the TCP in the base frame: m/rad, then rad/rad."""
        frames = self._chain(_checked(joints))
        tx, ty, tz = frames[-1][9:]
        columns: list[float] = []
        for frame in frames[:JOINTS]:
            ax, ay, az, px, py, pz = frame[6:]  # a joint turns about its own frame's z axis
            rx, ry, rz = tx - px, ty - py, tz - pz
            columns += (ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx, ax, ay, az)
        return np.array(columns).reshape(JOINTS, 6).T

    def _chain(self, joints: FloatArray) -> list[_Frame]:
        """Frames of one configuration. Those of the last one are kept."""
        angles, last = joints.tolist(), self._last
        if angles != last[0]:
            self._last = last = angles, _chain(angles)
        return last[1]


def _checked(joints: FloatArray) -> FloatArray:
    joints = np.asarray(joints, dtype=float)
    if joints.shape[-1:] != (JOINTS,):
        raise ValueError(f'a Franka has {JOINTS} joints, not shape {joints.shape}')
    return joints


def _chain(joints: list[float]) -> list[_Frame]:
    """Frames of links 1 to 7, flange and TCP, for one configuration."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    px = py = pz = 0.0
    frames: list[_Frame] = []
    for (a, d, quarter_turns), angle in zip(DH_TABLE, joints, strict=True):
        px, py, pz = px + a * xx, py + a * xy, pz + a * xz
        if quarter_turns == 1:
            yx, yy, yz, zx, zy, zz = zx, zy, zz, -yx, -yy, -yz
        elif quarter_turns == -1:
            yx, yy, yz, zx, zy, zz = -zx, -zy, -zz, yx, yy, yz
        px, py, pz = px + d * zx, py + d * zy, pz + d * zz
        c, s = math.cos(angle), math.sin(angle)
        xx, xy, xz, yx, yy, yz = (c * xx + s * yx, c * xy + s * yy, c * xz + s * yz,
                                  c * yx - s * xx, c * yy - s * xy, c * yz - s * xz)
        frames.append((xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz))
    px, py, pz = px + FLANGE_M * zx, py + FLANGE_M * zy, pz + FLANGE_M * zz
    frames.append((xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz))
    px, py, pz = px + TCP_M * zx, py + TCP_M * zy, pz + TCP_M * zz
    c, s = math.cos(HAND_YAW), math.sin(HAND_YAW)
    frames.append((c * xx + s * yx, c * xy + s * yy, c * xz + s * yz,
                   c * yx - s * xx, c * yy - s * xy, c * yz - s * xz, zx, zy, zz, px, py, pz))
    return frames


def _matrix(frame: _Frame) -> FloatArray:
    xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = frame
    return np.array((xx, yx, zx, px, xy, yy, zy, py, xz, yz, zz, pz, 0.0, 0.0, 0.0, 1.0)
                    ).reshape(4, 4)


def _batch_chain(joints: FloatArray, only_tcp: bool = False) -> FloatArray:
    """Frames of links 1 to 7, flange and TCP (..., 9, 4, 4), or only of the TCP (..., 1, 4, 4)."""
    angles = joints.reshape(-1, JOINTS).T
    axes = _batch_axes(np.cos(angles), np.sin(angles))[-1 if only_tcp else 0:]
    found = np.zeros((angles.shape[1], len(axes), 4, 4))
    for frame, vectors in zip(found.transpose(1, 3, 2, 0), axes):
        for column, vector in zip(frame, vectors):
            column[:3] = vector
    found[..., 3, 3] = 1.0
    return found.reshape(*joints.shape[:-1], len(axes), 4, 4)


def _batch_axes(cosines: FloatArray, sines: FloatArray) -> list[tuple[FloatArray, ...]]:
    """Of each frame the axes and the place (3, N), for cosines and sines (7, N) of the joints."""
    x, y, z = np.eye(3)[..., None]
    place = np.zeros((3, 1))
    frames: list[tuple[FloatArray, ...]] = []
    for (a, d, quarter_turns), c, s in zip(DH_TABLE, cosines, sines, strict=True):
        place = place + a * x if a else place  # many are 0
        if quarter_turns:
            y, z = quarter_turns * z, -quarter_turns * y
        place = place + d * z if d else place
        x, y = c * x + s * y, c * y - s * x
        frames.append((x, y, z, place))
    place = place + FLANGE_M * z
    frames.append((x, y, z, place))
    c, s = math.cos(HAND_YAW), math.sin(HAND_YAW)
    frames.append((c * x + s * y, c * y - s * x, z, place + TCP_M * z))
    return frames


_C, _S, _M = math.cos(HAND_YAW), math.sin(HAND_YAW), FLANGE_M + TCP_M
T_LINK7_TCP = np.array([(_C, -_S, 0, 0), (_S, _C, 0, 0), (0, 0, 1, _M), (0, 0, 0, 1)])
