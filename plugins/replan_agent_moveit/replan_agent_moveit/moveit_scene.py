# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A perceived scene as MoveIt's collision objects: conversions only, nothing is planned here."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from scipy.spatial import ConvexHull
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.shape import BOWL_FLOOR_SHARE, CONTAINER_WALL_M
from replan_agent.ros.messages.message_fields import point_to_msg, pose_to_msg

BOWL_SEGMENTS = 12
LEAST_M = 1e-4  # a primitive without extent is refused

Solid = tuple[int, tuple[float, ...], Pose]  # primitive type, its dimensions, pose in the object
IDENTITY = Pose((0.0, 0.0, 0.0))


def collision_object(thing: SceneObject, name: str, frame: str,
                     clearance_m: float = 0.0) -> CollisionObject:
    """An object where it was seen, in the base frame, larger by the clearance on every side."""
    found = CollisionObject()
    found.header.frame_id, found.id = frame, name
    found.pose = pose_to_msg(thing.pose)
    found.operation = CollisionObject.ADD
    for kind, dimensions, pose in solids(thing):
        found.primitives.append(SolidPrimitive(
            type=kind, dimensions=[max(LEAST_M, d) for d in _grown(kind, dimensions,
                                                                   clearance_m)]))
        found.primitive_poses.append(pose_to_msg(pose))
    for piece in thing.pieces:
        found.meshes.append(_mesh(_hull(piece, clearance_m) if clearance_m else piece.triangles))
        found.mesh_poses.append(pose_to_msg(IDENTITY))
    return found


def attached_object(thing: SceneObject, name: str, T_link_thing: FloatArray, link: str,
                    touch_links: Sequence[str]) -> AttachedCollisionObject:
    """The held object, fixed to a link of the hand."""
    held = collision_object(thing, name, link)
    held.pose = pose_to_msg(Pose.from_matrix(T_link_thing))
    attached = AttachedCollisionObject()
    attached.link_name, attached.object = link, held
    attached.touch_links = list(touch_links)
    return attached


def _grown(kind: int, dimensions: Sequence[float], by_m: float) -> list[float]:
    if kind == SolidPrimitive.SPHERE:
        return [float(dimensions[0] + by_m)]
    if kind == SolidPrimitive.CYLINDER:  # height, radius
        return [float(dimensions[0] + 2 * by_m), float(dimensions[1] + by_m)]
    return [float(d + 2 * by_m) for d in dimensions]


def _hull(piece: Piece, by_m: float) -> FloatArray:
    """Triangles (n, 3, 3) around a convex piece, at least `by_m` away from it."""
    steps = by_m * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    points = (piece.triangles.reshape(-1, 1, 3) + steps).reshape(-1, 3)
    return np.asarray(points[ConvexHull(points).simplices])


def solids(thing: SceneObject) -> list[Solid]:
    """The primitives that an object is made of; bins and bowls are hollow.

    An irregular one has none: it is the meshes of its pieces.
    """
    x, y, z = thing.size
    if thing.pieces:
        return []
    if thing.shape is Shape.SPHERE:
        return [(SolidPrimitive.SPHERE, (max(thing.size) / 2,), IDENTITY)]
    if thing.shape is Shape.CYLINDER:
        return [(SolidPrimitive.CYLINDER, (z, max(x, y) / 2), IDENTITY)]
    if thing.shape is Shape.BIN:
        return _bin(x, y, z)
    if thing.shape is Shape.BOWL:
        return _bowl(max(x, y) / 2, z)
    return [(SolidPrimitive.BOX, (x, y, z), IDENTITY)]


def _mesh(triangles: FloatArray) -> Mesh:
    corners, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices=list(map(point_to_msg, corners)),
                triangles=[MeshTriangle(vertex_indices=corner.astype(np.uint32))
                           for corner in index.reshape(-1, 3)])


def _box(size: tuple[float, float, float], *centre: float) -> Solid:
    return SolidPrimitive.BOX, size, Pose((centre[0], centre[1], centre[2]))


def _bin(x: float, y: float, z: float) -> list[Solid]:
    edge = CONTAINER_WALL_M / 2
    return [_box((x, y, CONTAINER_WALL_M), 0, 0, -z / 2 + edge),
            *(_box((CONTAINER_WALL_M, y, z), side * (x / 2 - edge), 0, 0) for side in (-1, 1)),
            *(_box((x, CONTAINER_WALL_M, z), 0, side * (y / 2 - edge), 0) for side in (-1, 1))]


def _bowl(rim: float, height: float) -> list[Solid]:
    """A disc, and walls that lean outwards up to the rim."""
    floor = rim * BOWL_FLOOR_SHARE
    lean, middle = math.atan2(rim - floor, height), (rim + floor) / 2
    size = (CONTAINER_WALL_M, 2 * rim * math.tan(math.pi / BOWL_SEGMENTS), height / math.cos(lean))
    parts: list[Solid] = [(SolidPrimitive.CYLINDER, (CONTAINER_WALL_M, floor),
                           Pose((0.0, 0.0, -height / 2 + CONTAINER_WALL_M / 2)))]
    for k in range(BOWL_SEGMENTS):
        angle = 2 * math.pi * k / BOWL_SEGMENTS
        pose = Pose.from_rpy(middle * math.cos(angle), middle * math.sin(angle), 0.0,
                             pitch=lean, yaw=angle)
        parts.append((SolidPrimitive.BOX, size, pose))
    return parts
