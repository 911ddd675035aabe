# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which pixels show the arm itself, from its encoders and its published outline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np

from replan_agent.arms.arm_model import ArmModel, Box, Hull, Part
from replan_agent.domain.hand import OPEN_M
from replan_agent.domain.pose import FloatArray

from .view import SQUARE, Array, Bools, View

SHELL_M = 0.012  # covers details of the shells and the calibration error
TOGETHER = 15  # solids that are compared with the same points, which saves time


@dataclass(frozen=True)
class Solids:
    """Boxes with rounded edges. A capsule is a box without width, plus a radius."""

    T: FloatArray  # (n, 4, 4): poses of their centres
    half: FloatArray  # (n, 3)
    radius: FloatArray  # (n,)

    def placed(self, frames: FloatArray) -> Solids:
        """The same solids, each in its own frame (n, 4, 4), or all in one (4, 4)."""
        return Solids(frames @ self.T, self.half, self.radius)

    @staticmethod
    def together(*parts: Solids) -> Solids:
        return Solids(*(np.concatenate([getattr(part, name) for part in parts])
                        for name in ('T', 'half', 'radius')))


def arm_mask(view: View, arm: ArmModel, frames: FloatArray, gripper_width: float, among: Bools,
             eye_in_hand: bool = False) -> Bools:
    """Which of the pixels `among` show the arm; `frames` are its links, flange, TCP."""
    outline = outline_of(arm)
    links = outline.link_solids(frames)
    if eye_in_hand:
        links = Solids.together(links, outline.camera.placed(frames[-1] @ outline.from_tcp))
    *groups, fingers = grouped(view, links, outline.finger_solids(frames, gripper_width))
    mask = _twice_as_large(_links(view, groups, among), among.shape) & among
    mask |= painted(view, [fingers], among ^ mask, 1)
    return mask


@cache
def outline_of(arm: ArmModel) -> Outline:
    """The arm's outline: the same for every picture."""
    return Outline(arm)


class Outline:
    """What a picture may show of an arm, grown by a margin. Frames are links, flange, TCP."""

    def __init__(self, arm: ArmModel) -> None:
        self._arm, hand, links = arm, arm.hand, (*arm.shapes.links, arm.shapes.hand)
        self.from_tcp = _shifted(0.0, 0.0, -hand.tcp_m)
        self._parts = _solids([part for parts in links for part in parts], SHELL_M)
        self._link_of_part = [link for link, parts in enumerate(links) for _ in parts]
        self._wide_open_m = hand.max_width_m - OPEN_M
        fingers = [part for body in arm.gripper.fingers for part in body.outline]
        self._fingers, self._open_fingers = (_solids(fingers, m) for m in (1e-4, SHELL_M))
        self._body_of_part = [n for n, body in enumerate(arm.gripper.fingers)
                              for _ in body.outline]

    @cached_property
    def camera(self) -> Solids:
        """That on the hand."""
        return _solids([self._arm.camera.body], SHELL_M)

    def link_solids(self, frames: FloatArray) -> Solids:
        """Base, links and hand."""
        links = np.stack([np.eye(4), *frames[:-2], frames[-1] @ self.from_tcp])
        return self._parts.placed(links[self._link_of_part])

    def finger_solids(self, frames: FloatArray, gripper_width: float) -> Solids:
        """Both fingers with their pads `gripper_width` (m) apart.

        Between wide-open pads there is nothing that could be taken for a finger.
        """
        parts = self._fingers if gripper_width < self._wide_open_m else self._open_fingers
        bodies = np.stack([*self._arm.gripper.frames(gripper_width).values()])
        return parts.placed(frames[-1] @ (self.from_tcp @ bodies)[self._body_of_part])


def _links(view: View, groups: Sequence[_Group], among: Bools) -> Array:
    """Every second row and column of the mask (uint8), one pixel wider on all sides."""
    found = np.zeros(among[::2, ::2].shape, dtype=bool)
    found[::2, ::2] = painted(view, groups, among[::4, ::4], 4)
    # A pixel amid others that are covered already would change nothing.
    open_yet = among[::2, ::2] & ~cv2.erode(_wider(found), SQUARE).view(bool)
    open_yet[::2, ::2] = False
    found |= painted(view, groups, open_yet, 2)
    return _wider(found)


def _wider(mask: Bools) -> Array:
    return np.asarray(cv2.dilate(mask.view(np.uint8), SQUARE))


def _twice_as_large(coarse: Array, shape: tuple[int, ...]) -> Bools:
    mask = np.zeros(shape, dtype=bool)
    left, top, width, height = cv2.boundingRect(coarse)
    if width and height:
        box = mask[2 * top:2 * (top + height), 2 * left:2 * (left + width)]
        large = cv2.resize(coarse[top:top + height, left:left + width],
                           (2 * width, 2 * height), interpolation=cv2.INTER_NEAREST)
        box[...] = large[:box.shape[0], :box.shape[1]]
    return mask


def _solids(parts: Sequence[Part], margin: float) -> Solids:
    """Parts of the outline, each in its link's frame, grown by a margin (m)."""
    T, half, radius = zip(*(_part(part) for part in parts))
    return Solids(np.stack(T), np.stack(half), np.array(radius) + margin)


def _part(part: Part) -> tuple[FloatArray, FloatArray, float]:
    if isinstance(part, Hull):
        part = part.box
    if isinstance(part, Box):
        return _shifted(*part.centre), np.asarray(part.size) / 2, 0.0
    start, end = np.asarray(part.start), np.asarray(part.end)
    T = _shifted(*((start + end) / 2))
    T[:3, :3] = _with_z_along(end - start)
    return T, np.array([0.0, 0.0, float(np.linalg.norm(end - start)) / 2]), part.radius


def _with_z_along(direction: FloatArray) -> FloatArray:
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _shifted(x: float, y: float, z: float) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


@dataclass(frozen=True)
class _Group:
    """Some solids: their axes (3n, 3), and where they appear: u, v and depth, from and to."""

    turn: Array  # all first axes, then all second and third ones
    middle: Array  # (3n, 1), seen from the camera
    half: Array  # (3n, 1)
    squares: Array  # (n, 1): their radii
    low: Sequence[float]
    high: Sequence[float]

    def contains(self, away: Array) -> Bools:
        """Which of the points (n, 3), seen from the camera, are in at least one of the solids."""
        outside = self.turn @ away.T
        outside -= self.middle
        np.abs(outside, out=outside)
        outside -= self.half
        np.maximum(outside, 0, out=outside)
        outside *= outside
        x, y, z = outside.reshape(3, len(self.squares), -1)
        x += y
        x += z
        return np.asarray((x < self.squares).any(axis=0))

    def box(self, stride: int, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
        """Top, left, bottom, right (half open) in every `stride`-th row and column."""
        if self.low[2] <= 0.01:  # reaches behind the camera: its projection is meaningless
            return 0, 0, shape[0], shape[1]
        left, top = (max(math.floor(value / stride), 0) for value in self.low[:2])
        right, bottom = (max(math.ceil(value / stride) + 1, 0) for value in self.high[:2])
        return top, left, bottom, right


def grouped(view: View, *parts: Solids) -> list[_Group]:
    """Groups of TOGETHER solids: those that follow each other are near each other.

    No group has solids of two of the parts.
    """
    solids, ends = Solids.together(*parts), np.cumsum([len(part.T) for part in parts]).tolist()
    starts = [n for first, end in zip((0, *ends), ends) for n in range(first, end, TOGETHER)]
    T, radii = solids.T, solids.radius
    local = _SIGNS * (solids.half + radii[:, None])[:, None]
    corners = local @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]
    projected = view.project(corners.reshape(-1, 3)).reshape(len(T), len(_SIGNS), 3)
    lowest = np.minimum.reduceat(projected.min(axis=1), starts).tolist()
    highest = np.maximum.reduceat(projected.max(axis=1), starts).tolist()
    axes = T[:, :3, :3].transpose(2, 0, 1)  # (own axes, solids, base axes)
    middle = np.einsum('ask,sk->as', axes, T[:, :3, 3] - view.origin)[..., None]
    turn, middles, halves, squares = (each.astype(np.float32) for each in (
        axes, middle, solids.half.T[..., None], (radii * radii)[:, None]))
    return [_Group(turn[:, few].reshape(-1, 3), middles[:, few].reshape(-1, 1),
                   halves[:, few].reshape(-1, 1), squares[few], low, high)
            for few, low, high in zip(map(slice, starts, (*starts[1:], len(T))), lowest, highest)]


def painted(view: View, groups: Sequence[_Group], among: Bools, stride: int) -> Bools:
    """The pixels `among` every `stride`-th row and column whose points are in a solid."""
    mask = np.zeros(among.shape, dtype=bool)
    boxes = [group.box(stride, mask.shape) for group in groups]
    tops, lefts, bottoms, rights = zip(*boxes)
    top, left, bottom, right = min(tops), min(lefts), max(bottoms), max(rights)
    inner = among[top:bottom, left:right]
    rows, columns = np.divmod(inner.ravel().nonzero()[0], max(inner.shape[1], 1))
    rows += top
    columns += left
    flat = rows * (stride * view.width_px) + columns * stride
    depth = view.depth.take(flat)
    away = depth[:, None] * view.rays_of(flat)
    found = np.zeros(len(rows), dtype=bool)
    for group, (top, left, bottom, right) in zip(groups, boxes):
        first, last = rows.searchsorted((top, bottom)).tolist()  # pixels come row by row
        here = np.s_[first:last]
        near = ~found[here] & (columns[here] >= left) & (columns[here] < right)
        near &= (depth[here] > group.low[2]) & (depth[here] < group.high[2])
        chosen = first + near.nonzero()[0]
        if len(chosen):
            found[chosen] = group.contains(away.take(chosen, axis=0))
    mask[rows[found], columns[found]] = True
    return mask
