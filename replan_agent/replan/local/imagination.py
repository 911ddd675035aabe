"""Imagined scenes: as they would be after an object was moved, taken or put down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.sliding import load, on_table
from replan_agent.domain.support import footprint, may_be_near

ROOM_M = 0.03  # free space between the object and everything else
HAND_ROOM_M = 0.10  # the same for an object so tall that it would touch the hand next to it
UNDER_THE_HAND_M = 0.05
RINGS_M = (0.10, 0.14, 0.18, 0.24, 0.30)
BEARINGS = 16
NEAREST_M, FARTHEST_M = 0.32, 0.68  # from the base: an object is easy to take again here

Point = tuple[float, float]
KeepAway = tuple[tuple[Point, float], ...]  # circles (centre, radius in m) to stay out of
_COUNT = count(1)


def moved(scene: Scene, name: str, to: Point, yaw: float | None = None) -> Scene:
    """The scene with the object standing on the table at `to`. What is on or in it comes along."""
    thing = scene.get(name)
    if thing is None:
        return scene
    table = scene.table
    half = thing.top_z - thing.position[2]
    z = table.top_z + half if table and to != thing.position[:2] else thing.position[2]
    pose = Pose((to[0], to[1], z), thing.pose.quaternion)
    if yaw is not None:
        pose = Pose.from_rpy(*pose.position, yaw=yaw)
    shift = [a - b for a, b in zip(pose.position, thing.position)]
    along = [replace(o, pose=o.pose.moved(*shift)) for o in load(scene, thing)]
    held = None if scene.held == name else scene.held
    return _with(scene, [replace(thing, pose=pose), *along], held)


def taken(scene: Scene, name: str, turned: bool = False) -> Scene:
    """The scene with the object in the gripper, taken from above across its narrow sides.

    `turned`: across the other sides. The hand is placed at the object, because only their relative
    pose matters for planning.
    """
    thing = scene.get(name)
    if thing is None:
        return scene
    across = (0, 1) if thing.size[0] <= thing.size[1] else (1, 0)
    axis = across[1 if turned else 0]
    closing_yaw = thing.pose.yaw + axis * math.pi / 2
    tcp = Pose.from_rpy(*thing.position, roll=math.pi, yaw=closing_yaw + math.pi / 2)
    joints = scene.arm.joints if scene.arm else ()
    arm = ArmSnapshot(joints, tcp, thing.size[axis], False)
    return replace(scene, scene_id=_imagined_id(scene), held=name, arm=arm)


def free_spots(scene: Scene, thing: SceneObject, keep_away: KeepAway = (),
               ) -> Iterator[Point]:
    """Places on the table with room for the object, the nearest first.

    `keep_away` are circles (centre, radius) to stay out of.
    """
    tall = thing.top_z - thing.bottom_z > UNDER_THE_HAND_M
    scene = replace(scene, objects=tuple(scene.without([o.name for o in load(scene, thing)])))
    for room in (HAND_ROOM_M, ROOM_M) if tall else (ROOM_M,):
        for spot in _rings(thing.position[:2]):
            if is_outside(spot, keep_away) and is_free(scene, thing, spot, room):
                yield spot


def is_outside(at: Point, keep_away: KeepAway) -> bool:
    """Whether a point is in none of the circles."""
    return all(math.dist(at, centre) >= radius for centre, radius in keep_away)


def _rings(centre: Point) -> Iterator[Point]:
    """Points around a centre, ring by ring, where an object is easy to take again."""
    for ring in RINGS_M:
        around = [(round(centre[0] + ring * math.cos(math.tau * k / BEARINGS), 3),
                   round(centre[1] + ring * math.sin(math.tau * k / BEARINGS), 3))
                  for k in range(BEARINGS)]
        for spot in sorted(around, key=lambda p: abs(math.hypot(*p) - 0.5)):
            if NEAREST_M <= math.hypot(*spot) <= FARTHEST_M:
                yield spot


def is_free(scene: Scene, thing: SceneObject, at: Point, room: float = ROOM_M) -> bool:
    """Whether the object can stand at a point of the table with this much free space."""
    if not on_table(scene, thing, at):
        return False
    own = footprint(thing) + room
    for other in scene.without([thing.name]):
        if other.shape is Shape.TABLE or not may_be_near(thing, at, other, room):
            continue
        if math.dist(at, other.position[:2]) < own + footprint(other):
            return False
    return True


def put_on_top(scene: Scene, name: str, target: SceneObject) -> Scene:
    """The scene with the object standing on the middle of another one."""
    thing = scene.get(name)
    if thing is None:
        return scene
    z = target.top_z + thing.position[2] - thing.bottom_z
    pose = Pose((*target.position[:2], z), thing.pose.quaternion)
    return _with(scene, [replace(thing, pose=pose)], None if scene.held == name else scene.held)


def _with(scene: Scene, things: list[SceneObject], held: str | None) -> Scene:
    others = scene.without([thing.name for thing in things])
    return replace(scene, scene_id=_imagined_id(scene), objects=(*others, *things), held=held)


def _imagined_id(scene: Scene) -> str:
    """An id that no other scene has."""
    return f'{scene.scene_id.split("~")[0]}~{next(_COUNT)}'
