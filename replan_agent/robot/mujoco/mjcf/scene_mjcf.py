# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene around the arm as MuJoCo XML: table, light, camera and objects."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Box
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.robot.mujoco.scene.placement import Placed
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec, SceneSpec, TableSpec

from .arm_looks import Looks
from .arm_mjcf import arm_xml
from .mjcf_xml import node, sections, to_xml
from .object_mjcf import add_meshes, add_object

TIMESTEP_S = 0.002
CAMERA = 'scene'
FLOOR_M = 0.75  # how far the floor is below the table top
PEDESTAL_M = 0.02  # larger than the arm's foot
LEG_M = 0.06
SKY = (0.875, 0.895, 0.915)


def scene_xml(scene: SceneSpec, arm: ArmModel, placed: Sequence[Placed], looks: Looks,
              eye_in_hand: bool = False) -> str:
    """The whole world as MJCF text: the arm at the origin, the objects at their `placed` poses."""
    root = ET.Element('mujoco', model=scene.name)
    node(root, 'compiler', angle='radian', autolimits=True, balanceinertia=True)
    # Elliptic cones with a stiff friction direction keep a grasp from creeping.
    option = node(root, 'option', timestep=TIMESTEP_S, integrator='implicitfast',
                  cone='elliptic', impratio=20)
    node(option, 'flag', sleep='enable')  # objects at rest cost nothing until touched
    _visual(root)
    world = node(root, 'worldbody')
    _lights(world)
    _table(world, scene.table, arm.shapes.foot)
    _camera(world, scene.camera)
    rest = ET.Element('rest')
    add_meshes(rest, (item.spec for item in placed))
    world = node(rest, 'worldbody')
    for item in placed:
        add_object(world, item)
    _floor(world, scene.table)
    return to_xml(root, arm_xml(arm, looks, eye_in_hand) + sections(rest))


def _visual(root: ET.Element) -> None:
    """Soft light, a pale sky, and shadows sharp enough for a table."""
    node(root, 'statistic', center=(0.4, 0, 0.1), extent=1.2)
    visual = node(root, 'visual')
    node(visual, 'headlight', ambient=(0.42, 0.42, 0.43), diffuse=(0.18, 0.18, 0.18),
         specular=(0, 0, 0))
    node(visual, 'map', znear=0.01, zfar=25, shadowclip=1.6, shadowscale=0.9)
    node(visual, 'quality', shadowsize=4096, offsamples=4)
    asset = node(root, 'asset')
    # One pixel a side: of a larger texture smaller copies are made, which takes 0.25 s.
    node(asset, 'texture', type='skybox', builtin='flat', width=1, height=6, rgb1=SKY, rgb2=SKY)


def _lights(world: ET.Element) -> None:
    node(world, 'light', name='key', pos=(1.2, 0.9, 2.6), dir=(-0.35, -0.35, -1), directional=True,
         diffuse=(0.42, 0.41, 0.39), specular=(0.25, 0.25, 0.25), castshadow=True)
    node(world, 'light', name='fill', pos=(0.5, -1.5, 2.2), dir=(-0.3, 0.8, -1),
         directional=True, diffuse=(0.2, 0.21, 0.23), specular=(0, 0, 0), castshadow=False)


def _floor(world: ET.Element, table: TableSpec) -> None:
    """The floor as the last body: MuJoCo draws in this order, and what is hidden costs nothing.

    Plain and finite: a texture or a horizon would double the render time of every picture.
    """
    floor = node(world, 'body', name='floor', pos=(0, 0, table.height - FLOOR_M))
    node(floor, 'geom', name='floor', type='plane', size=(10, 10, 10), rgba=(0.80, 0.82, 0.84, 1))


def _table(world: ET.Element, table: TableSpec, foot: Box) -> None:
    """The top as its own body, with legs, and a pedestal if the arm does not stand on it."""
    (x, y), (width, depth) = table.position, table.size
    top = node(world, 'body', name='table', pos=(x, y, table.height - table.thickness / 2))
    node(top, 'geom', name='table', type='box', size=(width / 2, depth / 2, table.thickness / 2),
         rgba=(*table.colour.rgb, 1), friction=(table.friction, 0.005, 0.0001))
    length = FLOOR_M - table.thickness
    for dx in (-1, 1):
        for dy in (-1, 1):
            _post(top, (dx * (width / 2 - LEG_M), dy * (depth / 2 - LEG_M),
                        -(table.thickness + length) / 2), (LEG_M, LEG_M, length))
    if table.height != 0 or not _carries(table, foot):
        height = FLOOR_M - table.height
        _post(world, (*foot.centre[:2], -height / 2),
              (foot.size[0] + PEDESTAL_M, foot.size[1] + PEDESTAL_M, height))


def _carries(table: TableSpec, foot: Box) -> bool:
    """Whether the arm stands on it: its foot reaches as far to all sides as behind its axis."""
    behind_m = foot.size[0] / 2 - foot.centre[0]
    return all(abs(at) <= size / 2 - behind_m for at, size in zip(table.position, table.size))


def _post(parent: ET.Element, centre: Sequence[float], size: Sequence[float]) -> None:
    node(parent, 'geom', type='box', pos=centre, size=[s / 2 for s in size],
         rgba=(0.33, 0.35, 0.37, 1))


def _camera(world: ET.Element, camera: CameraSpec) -> None:
    rotation = look_at(camera)
    # MuJoCo's camera looks along its -z with y up. Ours looks along +z with y down.
    axes = np.concatenate([rotation[:, 0], -rotation[:, 1]])
    node(world, 'camera', name=CAMERA, pos=camera.position, fovy=camera.fovy, xyaxes=axes)


def look_at(camera: CameraSpec) -> FloatArray:
    """The camera's rotation in the base frame, optical: x right, y down, z into the picture."""
    forward = np.subtract(camera.look_at, camera.position)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    if np.linalg.norm(right) < 1e-6:  # straight down: the top of the picture is +x
        right = np.array([0.0, -1.0, 0.0])
    right = right / np.linalg.norm(right)
    return np.column_stack([right, np.cross(forward, right), forward])


def camera_pose(camera: CameraSpec) -> Pose:
    """T_base_camera in the optical convention."""
    T = np.eye(4)
    T[:3, :3] = look_at(camera)
    T[:3, 3] = camera.position
    return Pose.from_matrix(T)
