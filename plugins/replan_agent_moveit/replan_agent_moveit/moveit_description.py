# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm as MoveIt wants it: URDF, semantic description and joint limits, from its model alone.

What a user's own MoveIt configuration says wins: only what it lacks is made.
"""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from scipy.spatial import ConvexHull
from transforms3d.euler import quat2euler

from replan_agent.arms.arm_model import ArmModel, Box, Capsule, Hull, Part
from replan_agent.domain.pose import FloatArray, Pose

from .moveit_arm import MoveItNames, arm_names
from .moveit_settings import MoveItSettings

URDF, SRDF = 'robot_description', 'robot_description_semantic'
LIMITS, KINEMATICS = 'robot_description_planning.joint_limits', 'robot_description_kinematics'
SOLVER = 'kdl_kinematics_plugin/KDLKinematicsPlugin'


def described(arm: ArmModel) -> dict[str, Any]:
    """The parameters of a move_group that has only the arm's URDF.

    The meshes that it names are there until this process ends.
    """
    folder = Path(tempfile.mkdtemp(prefix='replan_agent_moveit_'))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {URDF: urdf_of(arm, folder)}


def completed(parameters: Mapping[str, Any], arm: ArmModel,
              settings: MoveItSettings) -> dict[str, Any]:
    """The parameters of a move_group, and what they lack of groups, pairs and limits."""
    found = dict(parameters)
    if not found.get(URDF):
        return found
    names = arm_names(found, arm, settings)
    if not found.get(SRDF):
        found[SRDF] = srdf_of(arm, names)
        found.setdefault(f'{KINEMATICS}.{names.group}.kinematics_solver', SOLVER)
    if not any(name.startswith(f'{LIMITS}.') for name in found):
        for joint, speed, acceleration in zip(arm.joint_names, arm.limits.velocity,
                                              arm.limits.acceleration):
            found |= {f'{LIMITS}.{joint}.has_velocity_limits': True,
                      f'{LIMITS}.{joint}.max_velocity': float(speed),
                      f'{LIMITS}.{joint}.has_acceleration_limits': True,
                      f'{LIMITS}.{joint}.max_acceleration': float(acceleration)}
    return found


def srdf_of(arm: ArmModel, names: MoveItNames) -> str:
    """The group of the arm, its hand, and the pairs of links that are not checked."""
    root = ET.Element('robot', name=arm.name)
    group = ET.SubElement(root, 'group', name=names.group)
    ET.SubElement(group, 'chain', base_link=names.base, tip_link=names.tip)
    hand = ET.SubElement(root, 'group', name='hand')
    for link in names.hand:
        ET.SubElement(hand, 'link', name=link)
    ET.SubElement(root, 'end_effector', name='hand', group='hand', parent_link=names.tip)
    parts = {**names.parts, 'hand': names.hand}
    pieces = [*names.parts.values(), names.hand]
    pairs = [*(pair for a, b in arm.never_touch
               for pair in itertools.product(parts.get(a, ()), parts.get(b, ()))),
             *(pair for piece in pieces for pair in itertools.combinations(piece, 2))]
    solid = {*names.links}
    for a, b in sorted({(min(pair), max(pair)) for pair in pairs
                        if len({*pair}) == 2 and {*pair} <= solid}):
        ET.SubElement(root, 'disable_collisions', link1=a, link2=b, reason='Never')
    return ET.tostring(root, encoding='unicode')


def urdf_of(arm: ArmModel, folder: Path) -> str:
    """The arm with its collision shapes; convex pieces are written there as STL files."""
    root = ET.Element('robot', name=arm.name)

    def body(part: str, shapes: Iterable[Part]) -> None:
        link = ET.SubElement(root, 'link', name=arm.frame(part))
        for number, shape in enumerate(shapes):
            _collision(link, shape, folder / f'{part}_{number}.stl')

    def joint(name: str, kind: str, ends: tuple[str, str], at: Pose,
              axis: Iterable[float] = (0, 0, 1)) -> ET.Element:
        made = ET.SubElement(root, 'joint', name=name, type=kind)
        ET.SubElement(made, 'parent', link=arm.frame(ends[0]))
        ET.SubElement(made, 'child', link=arm.frame(ends[1]))
        _origin(made, at)
        ET.SubElement(made, 'axis', xyz=_text(axis))
        return made

    limits = arm.limits
    body('link0', arm.shapes.links[0])
    for k, (name, (place, turn)) in enumerate(zip(arm.joint_names, arm.mounts)):
        body(f'link{k + 1}', arm.shapes.links[k + 1])
        made = joint(name, 'revolute', (f'link{k}', f'link{k + 1}'), Pose(place, turn))
        ET.SubElement(made, 'limit', {key: f'{getattr(limits, key)[k]:.9g}' for key in
                                      ('lower', 'upper', 'velocity', 'effort')})
    body('hand', arm.shapes.hand)
    joint(arm.frame('hand_joint'), 'fixed', (f'link{arm.joint_count}', 'hand'), arm.T_link_hand)
    widths = np.linspace(0, arm.gripper.max_width_m, 33)
    for finger in arm.gripper.fingers:
        body(finger.name, (*finger.shapes, *finger.pads))
        made = joint(finger.joint, 'prismatic' if finger.slides else 'revolute',
                     (finger.parent, finger.name), finger.T_parent, finger.axis)
        values = np.polynomial.polynomial.polyval(widths, finger.by_width)
        ET.SubElement(made, 'limit', lower=f'{values.min():.9g}', upper=f'{values.max():.9g}',
                      velocity='1', effort='1')
    return ET.tostring(root, encoding='unicode')


def _collision(link: ET.Element, shape: Part, file: Path) -> None:
    """The shape; a capsule is a cylinder with two balls."""
    def solid(at: Pose, kind: str, **size: str) -> None:
        element = ET.SubElement(link, 'collision')
        _origin(element, at)
        ET.SubElement(ET.SubElement(element, 'geometry'), kind, dict(size))

    if isinstance(shape, Box):
        solid(Pose(shape.centre), 'box', size=_text(shape.size))
    elif isinstance(shape, Hull):
        file.write_bytes(_stl(np.array(shape.corners)))
        solid(Pose((0, 0, 0)), 'mesh', filename=file.as_uri())
    else:
        _capsule(solid, shape)


def _capsule(solid: Any, shape: Capsule) -> None:
    start, end = np.array(shape.start), np.array(shape.end)
    length = float(np.linalg.norm(end - start))
    radius = f'{shape.radius:.9g}'
    if length > 0:
        x, y, z = ((start + end) / 2).tolist()
        frame = np.eye(4)
        frame[:3, :3] = _turned_to((end - start) / length)
        frame[:3, 3] = x, y, z
        solid(Pose.from_matrix(frame), 'cylinder', radius=radius, length=f'{length:.9g}')
    for x, y, z in (shape.start, shape.end):
        solid(Pose((x, y, z)), 'sphere', radius=radius)


def _turned_to(axis: FloatArray) -> FloatArray:
    """A rotation whose z is that axis."""
    across = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(across, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _stl(corners: FloatArray) -> bytes:
    """The convex hull as a binary STL file."""
    hull = ConvexHull(corners)
    rows = np.zeros(len(hull.simplices), dtype=[('numbers', '<f4', 12), ('more', '<u2')])
    for row, simplex, plane in zip(rows, hull.simplices, hull.equations):
        a, b, c = corners[simplex]
        if np.cross(b - a, c - a) @ plane[:3] < 0:  # seen from outside, against the clock
            b, c = c, b
        row['numbers'] = np.concatenate([plane[:3], a, b, c])
    return bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes()


def _origin(element: ET.Element, at: Pose) -> None:
    ET.SubElement(element, 'origin', xyz=_text(at.position), rpy=_text(quat2euler(at.quaternion)))


def _text(values: Iterable[float]) -> str:
    return ' '.join(f'{value:.9g}' for value in values)
