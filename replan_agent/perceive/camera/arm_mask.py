"""Which pixels show the arm itself, from its encoders and its published outline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from replan_agent.domain import franka, franka_links, hand_camera
from replan_agent.domain.pose import FloatArray

from .view import Array, Bools, View

SHELL_M = 0.012  # covers details of the shells and the calibration error
TOGETHER = 6  # solids that are compared with the same points, which saves time
WIDE_OPEN_M = franka.MAX_GRIPPER_WIDTH_M - 0.003
# A finger in its own frame, its pad at y = 0: wide margins except towards what is held.
FINGER = franka_links.Box((0.0, 0.0195, 0.0295), (0.041, 0.041, 0.069))


@dataclass(frozen=True)
class Solid:
    """A box with rounded edges. A capsule is a box without width, plus a radius."""

    T: FloatArray  # pose of its centre
    half: FloatArray
    radius: float

    def moved(self, T: FloatArray) -> Solid:
        """The same solid after its frame moved by `T`."""
        return Solid(T @ self.T, self.half, self.radius)


def arm_mask(view: View, frames: FloatArray, gripper_width: float, among: Bools,
             eye_in_hand: bool = False) -> Bools:
    """Which of the pixels `among` show the arm; `frames` are links 1 to 7, flange, TCP."""
    links = link_solids(frames)
    if eye_in_hand:
        links.append(_CAMERA_PART.moved(_hand(frames)))
    coarse = _painted(view, links, among, stride=2)  # takes a quarter of the time
    wide = cv2.dilate(coarse.view(np.uint8), np.ones((3, 3), np.uint8))
    size = (view.width_px, view.height_px)
    mask = cv2.resize(wide, size, interpolation=cv2.INTER_NEAREST).view(bool)
    mask |= _painted(view, finger_solids(frames, gripper_width), among, stride=1)
    return np.asarray(mask & among)


def link_solids(frames: FloatArray) -> list[Solid]:
    """Base, links and hand, grown by a margin."""
    links = np.stack([np.eye(4), *frames[:franka.JOINTS], _hand(frames)])
    placed = links[_LINK_OF_PART] @ np.stack([part.T for part in _LINK_PARTS])
    return [Solid(T, part.half, part.radius) for T, part in zip(placed, _LINK_PARTS)]


def finger_solids(frames: FloatArray, gripper_width: float) -> list[Solid]:
    """Both fingers with their pads `gripper_width` (m) apart.

    Between wide-open pads there is nothing that could be taken for a finger.
    """
    part = _FINGER_PART if gripper_width < WIDE_OPEN_M else _OPEN_FINGER_PART
    solids = []
    for side in (1.0, -1.0):  # a finger in its own frame reaches towards +y
        finger = (_hand(frames) @ _shifted(0.0, 0.0, franka.FINGER_FRAME_M)
                  @ np.diag([side, side, 1, 1]))
        solids.append(part.moved(finger @ _shifted(0.0, gripper_width / 2, 0.0)))
    return solids


def _hand(frames: FloatArray) -> FloatArray:
    return np.asarray(frames[-1] @ _shifted(0.0, 0.0, -franka.TCP_M))


def _part(part: franka_links.Part, margin: float) -> Solid:
    """A part of the outline, in its link's frame."""
    if isinstance(part, franka_links.Box):
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


_LINKS = (*franka_links.LINKS, franka_links.HAND)
_LINK_PARTS = [_part(part, SHELL_M) for parts in _LINKS for part in parts]
_LINK_OF_PART = [link for link, parts in enumerate(_LINKS) for _ in parts]
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
_CAMERA_PART = _part(hand_camera.BODY, SHELL_M)
_FINGER_PART, _OPEN_FINGER_PART = (_part(FINGER, margin) for margin in (1e-4, SHELL_M))


def _painted(view: View, solids: Sequence[Solid], among: Bools, stride: int) -> Bools:
    """The pixels of every `stride`-th row and column whose points are in one of the solids."""
    mask = np.zeros(among[::stride, ::stride].shape, dtype=bool)
    extents = _extents(view, solids, stride, mask.shape)
    top, left = (min(e.low[axis] for e in extents) for axis in (1, 0))
    bottom, right = (max(e.high[axis] for e in extents) for axis in (1, 0))
    inner = among[::stride, ::stride][top:bottom, left:right]
    rows, columns = np.divmod(np.flatnonzero(inner), max(inner.shape[1], 1))
    rows, columns = rows + top, columns + left
    depth, rays = view.seen_at(rows * (stride * view.width_px) + columns * stride)
    points = view.origin.astype(np.float32) + depth[:, None] * rays
    found = np.zeros(len(rows), dtype=bool)
    for number, extent in enumerate(extents):
        near = extent.within(rows, columns, depth)
        near = near[~found[near]]
        if len(near):
            some = solids[number * TOGETHER:(number + 1) * TOGETHER]
            found[near] = _in_any(some, points.take(near, axis=0))
    mask[rows[found], columns[found]] = True
    return mask


def _in_any(solids: Sequence[Solid], points: Array) -> Bools:
    """Which of the points (n, 3) are in at least one of the solids."""
    T = np.stack([solid.T for solid in solids])
    turn = T[:, :3, :3].transpose(2, 0, 1)  # (own axes, solids, base axes)
    middle = np.einsum('ask,sk->as', turn, T[:, :3, 3])
    half = np.stack([solid.half for solid in solids], axis=1)
    turn, middle, half = (each.reshape(3 * len(solids), -1).astype(points.dtype)
                          for each in (turn, middle, half))
    outside = turn @ points.T
    outside -= middle
    np.abs(outside, out=outside)
    outside -= half
    np.maximum(outside, 0, out=outside)
    outside *= outside
    away = outside.reshape(3, len(solids), -1).sum(axis=0)
    radii = np.array([solid.radius for solid in solids], points.dtype)
    return np.asarray((away < (radii * radii)[:, None]).any(axis=0))


@dataclass(frozen=True)
class _Extent:
    """Where some solids can appear: columns and rows (half open) of the picture, depths (m)."""

    low: tuple[int, int]
    high: tuple[int, int]
    near: float
    far: float

    def within(self, rows: Array, columns: Array, depth: Array) -> Array:
        """Indices of the pixels inside. Pixels come row by row."""
        first, last = np.searchsorted(rows, (self.low[1], self.high[1]))
        columns, depth = columns[first:last], depth[first:last]
        return first + np.flatnonzero((columns >= self.low[0]) & (columns < self.high[0])
                                      & (depth > self.near) & (depth < self.far))


def _extents(view: View, solids: Sequence[Solid], stride: int,
             shape: tuple[int, ...]) -> list[_Extent]:
    """Of TOGETHER solids each: those that follow each other are near each other."""
    T = np.stack([solid.T for solid in solids])
    local = _SIGNS * np.stack([solid.half + solid.radius for solid in solids])[:, None]
    corners = local @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]
    projected = view.project(corners.reshape(-1, 3)).reshape(len(solids), len(_SIGNS), 3)
    starts = np.arange(0, len(solids), TOGETHER)
    lowest = np.minimum.reduceat(projected.min(axis=1), starts)
    highest = np.maximum.reduceat(projected.max(axis=1), starts)
    extents = []
    for low, high in zip(lowest.tolist(), highest.tolist()):
        near, far = low[2], high[2]
        if near <= 0.01:  # reaches behind the camera: its projection is meaningless
            extents.append(_Extent((0, 0), (shape[1], shape[0]), max(near, 0.0), far))
            continue
        left, top = (max(math.floor(value / stride), 0) for value in low[:2])
        right, bottom = (max(math.ceil(value / stride) + 1, 0) for value in high[:2])
        extents.append(_Extent((left, top), (right, bottom), near, far))
    return extents
