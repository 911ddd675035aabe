# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A picture of one thing as it is perceived: its cloud, its pieces, and the best grasps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import SceneObject
from replan_agent.motion.motion_protocols import Grasp
from replan_agent.perceive.camera.view import View

PANEL_PX = 420
MARGIN_M = 0.05  # around the thing
NEAR_M = 0.012  # points this near to the thing's box are shown
MOST_GRASPS = 3
PAPER, INK = (250, 250, 248), (40, 40, 40)
SEEN, GUESSED = (200, 30, 150), (240, 150, 40)
HANDS = ((20, 120, 60), (60, 150, 200), (150, 150, 150))  # the best, the second, the third
# Seen from the arm's side, from above: the back of the thing, which the camera does not see.
_TOWARDS = np.array([0.62, 0.45, -0.64])

Image = NDArray[Any]


def close_look(frame: CameraFrame, thing: SceneObject, grasps: Sequence[Grasp],
               hand: HandShape) -> Image:
    """Three panels side by side (RGB): cloud, pieces, grasps. All from the arm's side."""
    panels = [_Panel(thing, words) for words in ('cloud', 'pieces (orange: guessed)', 'grasps')]
    points, colours = _cloud(frame, thing)
    for panel in panels:
        panel.dots(points, colours)
    T = thing.pose.matrix()
    for piece in sorted(thing.pieces, key=lambda piece: piece.guessed):
        triangles = piece.triangles @ T[:3, :3].T + T[:3, 3]
        for panel, colour in ((panels[1], GUESSED if piece.guessed else SEEN),
                              (panels[2], (205, 205, 205))):
            for triangle in triangles:
                panel.line(triangle[[0, 1, 2, 0]], colour)
    for grasp, colour in reversed(list(zip(_different(grasps), HANDS))):
        for line in _hand(grasp, hand):
            panels[2].line(line, colour, 2)
    return np.hstack([panel.image for panel in panels])


def _different(grasps: Sequence[Grasp]) -> list[Grasp]:
    """The best grasps that are not at the same place."""
    found: list[Grasp] = []
    for grasp in grasps:
        if all(grasp.tcp.distance_to(other.tcp) > 0.015 for other in found):
            found.append(grasp)
    return found[:MOST_GRASPS]


def _hand(grasp: Grasp, hand: HandShape) -> list[FloatArray]:
    """Lines (n, 3) that show the open fingers and the palm."""
    T, half = grasp.tcp.matrix(), grasp.opening / 2
    palm, tip = -hand.palm_above_tcp_m, hand.tip_beyond_tcp_m
    own = ([(0, -half, tip), (0, -half, palm), (0, half, palm), (0, half, tip)],
           [(0, 0, palm), (0, 0, palm - 0.03)])
    return [np.array(line) @ T[:3, :3].T + T[:3, 3] for line in own]


def _cloud(frame: CameraFrame, thing: SceneObject) -> tuple[FloatArray, Image]:
    """The points that the camera sees around the thing, and their colours."""
    view = View(frame)
    rows, columns = np.nonzero(view.depth)
    points = view.points(rows, columns)
    off = np.abs(points - thing.position) - thing.half_extents_in_base()
    near = np.all(off < NEAR_M, axis=1)
    return points[near], frame.rgb[rows[near], columns[near]]


class _Panel:
    """A drawing of the room around the thing, without perspective."""

    def __init__(self, thing: SceneObject, words: str) -> None:
        self.image = np.full((PANEL_PX, PANEL_PX, 3), PAPER, dtype=np.uint8)
        forward = _TOWARDS / np.linalg.norm(_TOWARDS)
        right = np.cross(forward, (0, 0, 1))
        right /= np.linalg.norm(right)
        self._axes = np.stack([right, np.cross(forward, right), forward])
        self._middle = np.asarray(thing.position)
        self._scale = PANEL_PX / (float(np.linalg.norm(thing.size)) + 2 * MARGIN_M)
        cv2.putText(self.image, words, (12, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.5, INK, 1,
                    cv2.LINE_AA)

    def dots(self, points: FloatArray, colours: Image) -> None:
        own = (points - self._middle) @ self._axes.T
        for k in np.argsort(-own[:, 2]):
            centre = self._pixels(points[k:k + 1])[0]
            cv2.circle(self.image, (int(centre[0]), int(centre[1])), 1,
                       tuple(map(int, colours[k])), cv2.FILLED)

    def line(self, points: FloatArray, colour: tuple[int, int, int], thick: int = 1) -> None:
        cv2.polylines(self.image, [self._pixels(points)], False, colour, thick, cv2.LINE_AA)

    def _pixels(self, points: FloatArray) -> Image:
        own = (points - self._middle) @ self._axes.T
        return np.rint(own[:, :2] * self._scale + PANEL_PX / 2).astype(np.int32)
