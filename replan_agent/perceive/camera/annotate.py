# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A picture with the perceived objects drawn into it."""

from __future__ import annotations

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.outlines import outline

from .view import Array, View

LINE = (255, 0, 200)
DOUBTFUL = (255, 140, 0)
TEXT, SHADE = (255, 255, 255), (20, 20, 20)
DOUBTFUL_BELOW = 0.75
SCALE = 2  # the picture is enlarged so that names stay readable


def annotated(frame: CameraFrame, scene: Scene) -> Array:
    """The picture (RGB) at twice its size, each object outlined and named; orange if uncertain."""
    view = View(frame)
    picture = cv2.resize(np.ascontiguousarray(frame.rgb), None, fx=SCALE, fy=SCALE)
    for thing in scene.objects:
        if thing.shape is Shape.TABLE:
            continue
        colour = LINE if thing.confidence >= DOUBTFUL_BELOW else DOUBTFUL
        for line in _lines(thing):
            projected = view.project(line)
            if np.all(projected[:, 2] > 0):
                points = np.rint(projected[:, :2] * SCALE).astype(np.int32)
                cv2.polylines(picture, [points], False, colour, 1, cv2.LINE_AA)
        label = f'{thing.name} (held)' if thing.name == scene.held else thing.name
        _write(picture, view, thing, label)
    return np.asarray(picture)


def _lines(thing: SceneObject) -> list[FloatArray]:
    """Lines (n, 3) in the base frame: the outline of its underside and top, and upright edges."""
    around = outline(thing)
    low, high = (np.insert(around, 2, z, axis=1) for z in (thing.bottom_z, thing.top_z))
    upright = range(0, len(around), 1 + len(around) // 8)
    return [*(np.concatenate([ring, ring[:1]]) for ring in (low, high)),
            *(np.stack([low[k], high[k]]) for k in upright)]


def _write(picture: Array, view: View, thing: SceneObject, text: str) -> None:
    x, y, _ = thing.position
    u, v, depth = view.project(np.array([[x, y, thing.top_z]]))[0]
    if depth <= 0:
        return
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
    left, bottom = int(u * SCALE - width / 2), int(v * SCALE - 14)
    cv2.rectangle(picture, (left - 3, bottom - height - 3), (left + width + 3, bottom + 4), SHADE,
                  cv2.FILLED)
    cv2.putText(picture, text, (left, bottom), cv2.FONT_HERSHEY_SIMPLEX, 0.5, TEXT, 1, cv2.LINE_AA)
