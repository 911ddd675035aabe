"""Which pixels show the arm itself, from its encoders and its published outline."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from replan_agent.domain import franka
from replan_agent.domain import franka_outline as outline
from replan_agent.domain.pose import FloatArray

from .view import Bools, View

SHELL_M = 0.012  # the shells' details and the camera's calibration stay within this
FINGER_FRAME_M = 0.0584  # hand frame to where the fingers slide, along z
WIDE_OPEN_M = franka.MAX_GRIPPER_WIDTH_M - 0.003
# A finger in its own frame, its pad at y = 0: wide margins except towards what is held.
FINGER = outline.Box((0.0, 0.0195, 0.0295), (0.041, 0.041, 0.069))


@dataclass(frozen=True)
class Solid:
    """A box with rounded edges: a capsule is a box without width, plus a radius."""

    T: FloatArray  # where its centre is
    half: FloatArray
    radius: float

    def moved(self, T: FloatArray) -> Solid:
        """The same solid after its frame moved by `T`."""
        return Solid(T @ self.T, self.half, self.radius)

    def corners(self) -> FloatArray:
        """Eight points around the solid."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        local = signs * (self.half + self.radius)
        return np.asarray(local @ self.T[:3, :3].T + self.T[:3, 3])

    def contains(self, points: FloatArray) -> Bools:
        rotation = self.T[:3, :3].astype(np.float32)
        local = np.abs((points - self.T[:3, 3].astype(np.float32)) @ rotation)
        outside = np.maximum(local - self.half.astype(np.float32), 0)
        return np.asarray(np.einsum('ij,ij->i', outside, outside) < self.radius ** 2)


def arm_mask(view: View, frames: FloatArray, gripper_width: float, among: Bools) -> Bools:
    """Which of the pixels `among` show the arm; `frames` are links 1 to 7, flange, TCP."""
    coarse = np.zeros(view.depth[::2, ::2].shape, dtype=bool)  # a quarter of the time
    for solid in link_solids(frames):
        _paint(coarse, view, solid, among, stride=2)
    wide = cv2.dilate(coarse.astype(np.uint8), np.ones((3, 3), np.uint8))
    size = (view.width_px, view.height_px)
    mask = cv2.resize(wide, size, interpolation=cv2.INTER_NEAREST).astype(bool)
    for solid in finger_solids(frames, gripper_width):
        _paint(mask, view, solid, among, stride=1)
    return np.asarray(mask & among)


def link_solids(frames: FloatArray) -> list[Solid]:
    """Base, links and hand, grown by a margin."""
    links = [np.eye(4), *frames[:franka.JOINTS], _hand(frames)]
    return [part.moved(T) for T, parts in zip(links, _LINK_PARTS) for part in parts]


def finger_solids(frames: FloatArray, gripper_width: float) -> list[Solid]:
    """Both fingers with their pads `gripper_width` (m) apart.

    Between pads that are wide open is nothing that could be mistaken for a finger.
    """
    part = _FINGER_PART if gripper_width < WIDE_OPEN_M else _OPEN_FINGER_PART
    solids = []
    for side in (1.0, -1.0):  # a finger in its own frame reaches towards +y
        finger = _hand(frames) @ _shifted(0.0, 0.0, FINGER_FRAME_M) @ np.diag([side, side, 1, 1])
        solids.append(part.moved(finger @ _shifted(0.0, gripper_width / 2, 0.0)))
    return solids


def _hand(frames: FloatArray) -> FloatArray:
    return np.asarray(frames[-1] @ _shifted(0.0, 0.0, -franka.TCP_M))


def _part(part: outline.Part, margin: float) -> Solid:
    """A part of the outline in its link's frame."""
    if isinstance(part, outline.Box):
        return Solid(_shifted(*part.centre), np.asarray(part.size) / 2, margin)
    start, end = np.asarray(part.start), np.asarray(part.end)
    T = _shifted(*((start + end) / 2))
    T[:3, :3] = _with_z_along(end - start)
    half = np.array([0.0, 0.0, float(np.linalg.norm(end - start)) / 2])
    return Solid(T, half, part.radius + margin)


def _with_z_along(direction: FloatArray) -> FloatArray:
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _shifted(x: float, y: float, z: float) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


_LINK_PARTS = [[_part(part, SHELL_M) for part in parts]
               for parts in (*outline.LINKS, outline.HAND)]
_FINGER_PART, _OPEN_FINGER_PART = (_part(FINGER, margin) for margin in (1e-4, SHELL_M))


def _paint(mask: Bools, view: View, solid: Solid, among: Bools, stride: int) -> None:
    """Mark the pixels of every `stride`-th row and column whose points are in the solid."""
    corners = view.project(solid.corners())
    near, far = corners[:, 2].min(), corners[:, 2].max()
    if near <= 0.01:  # reaches behind the camera, where its outline means nothing
        box = np.s_[:, :]
    else:
        low = np.maximum(np.floor(corners[:, :2].min(axis=0) / stride).astype(int), 0)
        high = np.maximum(np.ceil(corners[:, :2].max(axis=0) / stride).astype(int) + 1, 0)
        box = np.s_[low[1]:high[1], low[0]:high[0]]
    depth = view.depth[::stride, ::stride][box]
    open_yet = among[::stride, ::stride][box] & ~mask[box]
    rows, columns = np.nonzero(open_yet & (depth > max(near, 0)) & (depth < far))
    if not len(rows):
        return
    rays = view.rays[::stride, ::stride][box][rows, columns]
    points = view.origin.astype(np.float32) + depth[rows, columns, None] * rays
    inside = solid.contains(points)
    mask[box][rows[inside], columns[inside]] = True
