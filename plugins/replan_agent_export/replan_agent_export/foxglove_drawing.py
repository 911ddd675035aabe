# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plain shapes, and those of the arm, as drawings for Foxglove's 3D panel: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Capsule, Hull, Part
from replan_agent.domain.pose import FloatArray, Pose

from .drawing import Drawn, DrawnKind

Json = dict[str, Any]

LIGHT = (0.93, 0.93, 0.95)
PRIMITIVES = {DrawnKind.BOX: 'cubes', DrawnKind.SPHERE: 'spheres', DrawnKind.CYLINDER: 'cylinders',
              DrawnKind.LINES: 'lines', DrawnKind.PATH: 'lines', DrawnKind.TRIANGLES: 'triangles',
              DrawnKind.TEXT: 'texts'}
LINE_TYPES = {DrawnKind.PATH: 0, DrawnKind.LINES: 2}
ALL = 1  # what a deletion removes


def stamp(robot_s: float) -> Json:
    """Robot time as seconds and nanoseconds."""
    sec, nsec = divmod(round(robot_s * 1e9), 10**9)
    return {'sec': sec, 'nsec': nsec}


def xyz(values: Iterable[float]) -> Json:
    x, y, z = map(float, values)
    return {'x': x, 'y': y, 'z': z}


def pose_json(pose: Pose) -> Json:
    return {'position': xyz(pose.position), 'orientation': turn_json(pose)}


def turn_json(pose: Pose) -> Json:
    w, x, y, z = map(float, pose.quaternion)
    return {'x': x, 'y': y, 'z': z, 'w': w}


def transform(robot_s: float, parent: str, child: str, pose: Pose) -> Json:
    return {'timestamp': stamp(robot_s), 'parent_frame_id': parent, 'child_frame_id': child,
            'translation': xyz(pose.position), 'rotation': turn_json(pose)}


def update(robot_s: float, entities: Sequence[Json], clear: bool = True) -> Json:
    """A SceneUpdate; with `clear`, what was drawn before on its topic is removed."""
    old = [{'timestamp': stamp(robot_s), 'type': ALL, 'id': ''}] if clear else []
    return {'deletions': old, 'entities': list(entities)}


def entity(robot_s: float, frame: str, name: str, shapes: Iterable[Drawn]) -> Json:
    drawn: dict[str, list[Json]] = {name: [] for name in PRIMITIVES.values()}
    for shape in shapes:
        drawn[PRIMITIVES[shape.kind]].append(_primitive(shape))
    return {'timestamp': stamp(robot_s), 'frame_id': frame, 'id': name,
            'lifetime': {'sec': 0, 'nsec': 0}, 'frame_locked': True, 'metadata': [], 'arrows': [],
            'models': [], **drawn}


def arm_entities(robot_s: float, arm: ArmModel) -> list[Json]:
    """The arm's collision shapes, each in the frame of its link, which /tf moves."""
    own = arm.shapes
    parts: dict[str, Sequence[Part]] = {
        **{arm.frame(f'link{k}'): p for k, p in enumerate(own.links)}, arm.frame('hand'): own.hand,
        **{arm.frame(body.name): body.shapes for body in arm.gripper.fingers}}
    return [entity(robot_s, frame, frame, (shape for part in shapes for shape in _shapes(part)))
            for frame, shapes in parts.items()]


def _shapes(part: Part) -> Iterator[Drawn]:
    part = part.box if isinstance(part, Hull) else part
    if not isinstance(part, Capsule):
        yield Drawn(DrawnKind.BOX, 'arm', LIGHT, part.size, Pose(part.centre))
        return
    start, end = np.array(part.start, float), np.array(part.end, float)
    width = 2 * part.radius
    for ball in (part.start, part.end):
        yield Drawn(DrawnKind.SPHERE, 'arm', LIGHT, (width, width, width), Pose(ball))
    length = float(np.linalg.norm(end - start))
    yield Drawn(DrawnKind.CYLINDER, 'arm', LIGHT, (width, width, length), _along(start, end))


def _along(start: FloatArray, end: FloatArray) -> Pose:
    """The pose between two points whose z axis goes from one to the other."""
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross(z, np.array((1.0, 0, 0) if abs(z[0]) < 0.9 else (0, 1.0, 0)))
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), (start + end) / 2
    return Pose.from_matrix(T)


def _primitive(shape: Drawn) -> Json:
    """The shape as the primitive of its kind."""
    drawn: Json = {'pose': pose_json(shape.pose), 'color': _colour(shape.colour)}
    corners = {'points': list(map(xyz, shape.points)), 'colors': [], 'indices': []}
    match shape.kind:
        case DrawnKind.TEXT:
            return {**drawn, 'billboard': True, 'font_size': shape.size[2],
                    'scale_invariant': False, 'text': shape.text}
        case DrawnKind.LINES | DrawnKind.PATH:
            return {**drawn, **corners, 'type': LINE_TYPES[shape.kind],
                    'thickness': shape.size[0], 'scale_invariant': False}
        case DrawnKind.TRIANGLES:
            return {**drawn, **corners}
    ends = {'bottom_scale': 1.0, 'top_scale': 1.0} if shape.kind is DrawnKind.CYLINDER else {}
    return {**drawn, 'size': xyz(shape.size), **ends}


def _colour(colour: Iterable[float]) -> Json:
    r, g, b = map(float, colour)
    return {'r': r, 'g': g, 'b': b, 'a': 1.0}
