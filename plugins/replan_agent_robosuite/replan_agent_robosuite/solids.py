# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes for what physics has as many small solids: a box, a bowl, a hull, or pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.gl import mujoco

BOXY = 0.93  # of the volume of its box: a hull that fills so much of it is one
FULL = 0.8  # of the volume of its hull: parts that fill so much of it are as good as the hull
GRID = 12  # points in each direction that are looked at for this
AROUND = 16  # corners of what is round
CORNERS = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1
RING = np.array([(math.cos(a), math.sin(a)) for a in np.arange(AROUND) * math.tau / AROUND])


def corners_of(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> FloatArray:
    """Points (n, 3, world) whose hull is the geom, or about it if it is round."""
    kind, half = model.geom_type[geom], model.geom_aabb[geom, 3:]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.mesh(int(model.geom_dataid[geom]))
        first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
        points = model.mesh_vert[first:first + count]
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        points = CORNERS * half
    elif kind in (mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_CAPSULE):
        points = np.vstack([np.column_stack([RING, np.full(AROUND, side)]) for side in (-1, 1)])
        points = points * half
    else:  # a sphere or an ellipsoid
        rings = [np.column_stack([math.cos(t) * RING, np.full(AROUND, math.sin(t))])
                 for t in np.linspace(-math.pi / 2, math.pi / 2, 9)]
        points = np.vstack(rings) * half
    return np.asarray(points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])


def above(model: mujoco.MjModel, body: int) -> list[int]:
    """The body and those that it hangs on."""
    found = [body]
    while body:
        body = int(model.body_parentid[body])
        found.append(body)
    return found


def touches(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def solid_geoms(model: mujoco.MjModel, body: int) -> list[int]:
    """The geoms of a body, and of all that hangs on it, that things can touch."""
    return [geom for geom in range(model.ngeom) if touches(model, geom)
            and body in above(model, int(model.geom_bodyid[geom]))]


def upright(rotation: FloatArray) -> FloatArray:
    """A turn of a frame by quarters, after which its own z is the axis that points up now."""
    axis = int(np.argmax(np.abs(rotation[2])))
    up, along = np.zeros(3), np.zeros(3)
    up[axis], along[(axis + 1) % 3] = math.copysign(1, rotation[2, axis]), 1.0
    return np.column_stack([along, np.cross(up, along), up])


def thing_of(name: str, parts: Sequence[FloatArray], shape: Shape | None, movable: bool,
             between: bool = False) -> tuple[SceneObject, FloatArray]:
    """What the parts (corners in one frame) look like as one thing, and where its centre is there.

    `shape` is that of a container, or a cylinder for a disc with a low rim, which is left out.
    Other things are boxes, hulls or pieces; always pieces if something goes `between` them.
    """
    everything = np.concatenate(list(parts))
    low, high = everything.min(axis=0), everything.max(axis=0)
    if shape is Shape.CYLINDER:
        x, y, _ = (low + high) / 2
        high[2] = max(float(part[:, 2].max()) for part in parts if _is_at(part, x, y))
    centre, size = (low + high) / 2, tuple((high - low).tolist())
    if shape is None:
        pieces = [Piece.around(part - centre) for part in parts]
        hull = Piece.around(everything - centre)
        if between:
            shape = Shape.IRREGULAR
        elif hull.volume > BOXY * math.prod(size):
            shape, pieces = Shape.BOX, []
        elif len(pieces) == 1 or _share(hull, pieces) > FULL:
            shape, pieces = Shape.IRREGULAR, [hull]
        else:
            shape = Shape.IRREGULAR
    else:
        pieces = []
        if shape is not Shape.BIN:  # a handle stands out at one side
            size = (min(size[:2]), min(size[:2]), size[2])
    return SceneObject(name, shape, size, Pose((0.0, 0.0, 0.0)), movable=movable,
                       pieces=tuple(pieces)), centre


def _is_at(part: FloatArray, x: float, y: float) -> bool:
    return bool(np.all(part[:, :2].min(axis=0) <= (x, y)) and np.all(
        part[:, :2].max(axis=0) >= (x, y)))


def _share(hull: Piece, pieces: Sequence[Piece]) -> float:
    """The share of a hull that is in any of the pieces."""
    corners = hull.corners
    axes = [np.linspace(a, b, GRID) for a, b in zip(corners.min(axis=0), corners.max(axis=0))]
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    points = points[_inside(hull, points)]
    return float(np.mean(np.any([_inside(piece, points) for piece in pieces], axis=0)))


def _inside(piece: Piece, points: FloatArray) -> FloatArray:
    planes = piece.planes
    return np.asarray((points @ planes[:, :3].T + planes[:, 3] <= 1e-9).all(axis=1))
