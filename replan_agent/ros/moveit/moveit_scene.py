"""A perceived scene as MoveIt's collision objects: conversions only, nothing is planned here."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.ros.messages.message_fields import point_to_msg, pose_to_msg

WALL_M = 0.006  # of bins and bowls
BOWL_FLOOR_SHARE = 0.6  # of the rim's radius
BOWL_SEGMENTS = 12
LEAST_M = 1e-4  # a primitive without extent is refused

Solid = tuple[int, tuple[float, ...], Pose]  # primitive type, its dimensions, pose in the object
IDENTITY = Pose((0.0, 0.0, 0.0))


def collision_object(thing: SceneObject, frame: str) -> CollisionObject:
    """An object where it was seen, in the base frame."""
    found = CollisionObject()
    found.header.frame_id, found.id = frame, thing.name
    found.pose = pose_to_msg(thing.pose)
    found.operation = CollisionObject.ADD
    for kind, dimensions, pose in solids(thing):
        found.primitives.append(SolidPrimitive(
            type=kind, dimensions=[max(LEAST_M, float(d)) for d in dimensions]))
        found.primitive_poses.append(pose_to_msg(pose))
    for piece in thing.pieces:
        found.meshes.append(_mesh(piece))
        found.mesh_poses.append(pose_to_msg(IDENTITY))
    return found


def attached_object(thing: SceneObject, scene: Scene, tip: str,
                    touch_links: Sequence[str]) -> AttachedCollisionObject:
    """The held object, fixed to the tip where it was seen in the hand."""
    assert scene.arm is not None, 'a scene with something held knows where the arm was'
    T_tip_thing = np.linalg.inv(scene.arm.tcp.matrix()) @ thing.pose.matrix()
    held = collision_object(thing, tip)
    held.pose = pose_to_msg(Pose.from_matrix(T_tip_thing))
    attached = AttachedCollisionObject()
    attached.link_name, attached.object = tip, held
    attached.touch_links = list(touch_links)
    return attached


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


def _mesh(piece: Piece) -> Mesh:
    corners, index = np.unique(piece.triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices=list(map(point_to_msg, corners)),
                triangles=[MeshTriangle(vertex_indices=corner.astype(np.uint32))
                           for corner in index.reshape(-1, 3)])


def _box(size: tuple[float, float, float], *centre: float) -> Solid:
    return SolidPrimitive.BOX, size, Pose((centre[0], centre[1], centre[2]))


def _bin(x: float, y: float, z: float) -> list[Solid]:
    edge = WALL_M / 2
    return [_box((x, y, WALL_M), 0, 0, -z / 2 + edge),
            *(_box((WALL_M, y, z), side * (x / 2 - edge), 0, 0) for side in (-1, 1)),
            *(_box((x, WALL_M, z), 0, side * (y / 2 - edge), 0) for side in (-1, 1))]


def _bowl(rim: float, height: float) -> list[Solid]:
    """A disc, and walls that lean outwards up to the rim."""
    floor = rim * BOWL_FLOOR_SHARE
    lean, middle = math.atan2(rim - floor, height), (rim + floor) / 2
    size = (WALL_M, 2 * rim * math.tan(math.pi / BOWL_SEGMENTS), height / math.cos(lean))
    parts: list[Solid] = [(SolidPrimitive.CYLINDER, (WALL_M, floor),
                           Pose((0.0, 0.0, -height / 2 + WALL_M / 2)))]
    for k in range(BOWL_SEGMENTS):
        angle = 2 * math.pi * k / BOWL_SEGMENTS
        pose = Pose.from_rpy(middle * math.cos(angle), middle * math.sin(angle), 0.0,
                             pitch=lean, yaw=angle)
        parts.append((SolidPrimitive.BOX, size, pose))
    return parts
