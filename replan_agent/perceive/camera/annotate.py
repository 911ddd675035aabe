"""A picture with the perceived objects drawn into it."""

from __future__ import annotations

import itertools

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
_CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
_EDGES = [(a, b) for a, b in itertools.combinations(range(8), 2)
          if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1]
_CIRCLE = np.array([[np.cos(a) / 2, np.sin(a) / 2] for a in np.linspace(0, 2 * np.pi, 33)])


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
    """Lines (n, 3) in the base frame that show the thing's outline."""
    if thing.pieces:
        around = outline(thing)
        around = np.concatenate([around, around[:1]])
        return [np.insert(around, 2, z, axis=1) for z in (thing.bottom_z, thing.top_z)]
    T, size = thing.pose.matrix(), np.asarray(thing.size)
    if thing.shape is Shape.SPHERE:
        rings = [np.insert(_CIRCLE, axis, 0.0, axis=1) for axis in range(3)]
    elif thing.shape in (Shape.CYLINDER, Shape.BOWL):
        rings = [np.column_stack([_CIRCLE, np.full(len(_CIRCLE), z)]) for z in (-0.5, 0.5)]
        rings += [np.array([[*_CIRCLE[k], -0.5], [*_CIRCLE[k], 0.5]]) for k in (0, 8, 16, 24)]
    else:
        rings = [_CORNERS[[a, b]] for a, b in _EDGES]
    return [ring * size @ T[:3, :3].T + T[:3, 3] for ring in rings]


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
