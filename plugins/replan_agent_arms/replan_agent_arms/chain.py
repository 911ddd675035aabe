# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobian of any serial chain of turning joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits

Mount = tuple[tuple[float, float, float], tuple[float, float, float, float]]


class ChainKinematics:
    """Joint i turns about z of its own frame, which stands in that of the joint before it."""

    def __init__(self, limits: JointLimits, mounts: Sequence[Mount], T_link_hand: Pose,
                 tcp_m: float) -> None:
        self.limits = limits
        self._count = len(mounts)
        fixed = np.stack([Pose(*mount).matrix() for mount in mounts])
        self._turns, self._places = fixed[:, :3, :3], fixed[:, :3, 3]
        # A joint's matrix is `rest + cos * along + sin * across`.
        self._rest, self._along, self._across = (np.zeros_like(fixed) for _ in range(3))
        self._rest[..., 2:], self._along[..., :2] = fixed[..., 2:], fixed[..., :2]
        self._across[..., 0], self._across[..., 1] = fixed[..., 1], -fixed[..., 0]
        self._T_link_hand = T_link_hand.matrix()
        self._T_link_tcp = self._T_link_hand @ Pose((0.0, 0.0, tcp_m)).matrix()
        self._last: tuple[bytes, FloatArray] = b'', np.empty(0)  # the Jacobian follows the pose

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, '_last': (b'', np.empty(0))}

    def forward(self, joints: FloatArray) -> FloatArray:
        """T_base_tcp (4x4) at `joints`; a batch (..., n) gives (..., 4, 4)."""
        joints = self._checked(joints)
        if joints.ndim == 1:
            return self._chain(joints)[-1] @ self._T_link_tcp
        axes, places = self.frames(joints.reshape(-1, self._count).T)
        found = np.zeros((axes.shape[-1], 4, 4))
        found[:, :3, :3] = np.einsum('acn,ab->ncb', axes[-1], self._T_link_tcp[:3, :3])
        found[:, :3, 3] = (places[-1] + np.einsum('acn,a->cn', axes[-1],
                                                  self._T_link_tcp[:3, 3])).T
        found[:, 3, 3] = 1.0
        return found.reshape(*joints.shape[:-1], 4, 4)

    def link_frames(self, joints: FloatArray) -> FloatArray:
        """The frames of the links, the hand and the TCP: (n + 2, 4, 4), or (..., n + 2, 4, 4)."""
        joints = self._checked(joints)
        if joints.ndim == 1:
            links = self._chain(joints)
            return np.concatenate([links, [links[-1] @ self._T_link_hand,
                                           links[-1] @ self._T_link_tcp]])
        axes, places = self.frames(joints.reshape(-1, self._count).T)
        found = np.zeros((axes.shape[-1], self._count + 2, 4, 4))
        links = found[:, :-2]
        links[..., :3, :3] = axes.transpose(3, 0, 2, 1)
        links[..., :3, 3] = places.transpose(2, 0, 1)
        found[..., 3, 3] = 1.0
        found[:, -2] = links[:, -1] @ self._T_link_hand
        found[:, -1] = links[:, -1] @ self._T_link_tcp
        return found.reshape(*joints.shape[:-1], self._count + 2, 4, 4)

    def jacobian(self, joints: FloatArray) -> FloatArray:
        """Geometric Jacobian (6, n) of the TCP in the base frame: m/rad, then rad/rad."""
        links = self._chain(self._checked(joints))
        tcp = links[-1, :3] @ self._T_link_tcp[:, 3]
        axes = links[:, :3, 2]
        x, y, z = axes.T
        rx, ry, rz = (tcp - links[:, :3, 3]).T
        return np.array((y * rz - z * ry, z * rx - x * rz, x * ry - y * rx, x, y, z))

    def frames(self, angles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of each joint the axes (n, 3 axes, 3, N) and the place (n, 3, N), for angles (n, N)."""
        cosines, sines = np.cos(angles), np.sin(angles)
        count = angles.shape[1]
        axes, places = np.empty((self._count, 3, 3, count)), np.empty((self._count, 3, count))
        before, place = np.repeat(np.eye(3)[..., None], count, 2), np.zeros((3, count))
        for i in range(self._count):
            turned = (self._turns[i].T @ before.reshape(3, -1)).reshape(3, 3, count)
            place = place + (self._places[i] @ before.reshape(3, -1)).reshape(3, count)
            c, s, now = cosines[i], sines[i], axes[i]
            now[0] = c * turned[0] + s * turned[1]
            now[1] = c * turned[1] - s * turned[0]
            now[2] = turned[2]
            before, places[i] = now, place
        return axes, places

    def tool(self, axes: FloatArray, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The TCP's axes (3 axes, 3, N) and place (3, N) from those of the last joint."""
        flat = axes.reshape(3, -1)
        turned = (self._T_link_tcp[:3, :3].T @ flat).reshape(axes.shape)
        return turned, place + (self._T_link_tcp[:3, 3] @ flat).reshape(place.shape)

    def _chain(self, joints: FloatArray) -> FloatArray:
        """Frames (n, 4, 4) of one posture. The last are kept; threads share them: read once."""
        key, last = joints.tobytes(), self._last
        if key != last[0]:
            c, s = np.cos(joints)[:, None, None], np.sin(joints)[:, None, None]
            steps = self._rest + c * self._along + s * self._across
            frames = np.empty_like(steps)
            frames[0] = steps[0]
            for i in range(1, self._count):
                np.dot(frames[i - 1], steps[i], out=frames[i])
            last = self._last = key, frames
        return last[1]

    def _checked(self, joints: FloatArray) -> FloatArray:
        joints = np.ascontiguousarray(joints, dtype=float)
        if joints.shape[-1:] != (self._count,):
            raise ValueError(f'this arm has {self._count} joints, not shape {joints.shape}')
        return joints
