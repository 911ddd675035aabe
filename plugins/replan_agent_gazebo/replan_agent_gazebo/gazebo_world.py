# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writes a scene as a Gazebo world: with the table, objects and camera of the embedded one.

    python3 -m replan_agent_gazebo.gazebo_world tabletop world.sdf camera.yaml
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from replan_agent_calibrate.calibration_text import calibration_text
from transforms3d import euler, quaternions

from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.calibration_file import OPTICAL_FRAME
from replan_agent.arms.arm_names import ARM_NAMES, NEWEST_ARM, base_frame
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node
from replan_agent.robot.mujoco.mjcf.object_mjcf import add_geoms
from replan_agent.robot.mujoco.mjcf.scene_mjcf import FLOOR_M, camera_pose
from replan_agent.robot.mujoco.scene.placement import Placed, place
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec, ObjectSpec, SceneSpec, TableSpec
from replan_agent.text.file_bytes import write_whole

SDF_VERSION = '1.9'
STEP_S = 0.001
WALL_LIFT_M = 0.001
CAMERA_TOPIC = 'camera'
CAMERA_RATE = 10
SYSTEMS = {'physics': 'Physics', 'user-commands': 'UserCommands',
           'scene-broadcaster': 'SceneBroadcaster', 'sensors': 'Sensors', 'contact': 'Contact'}
# A Gazebo sensor looks along +x with z up, the optical frame along +z with y down.
_SENSOR_IN_OPTICAL = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


def world_sdf(scene: SceneSpec, seed: int = 0) -> str:
    """The scene as SDF text, base frame at the origin; the arm is put into it later."""
    root = ET.Element('sdf', version=SDF_VERSION)
    world = _node(root, 'world', name=scene.name)
    physics = _node(world, 'physics', name='step', type='ignored')
    _text(physics, 'max_step_size', STEP_S)
    _text(physics, 'real_time_factor', 1.0)
    for file, name in SYSTEMS.items():
        plugin = _node(world, 'plugin', filename=f'gz-sim-{file}-system',
                       name=f'gz::sim::systems::{name}')
        if name == 'Sensors':
            _text(plugin, 'render_engine', 'ogre2')
    _light(world)
    _floor(world, scene.table)
    _table(world, scene.table)
    for placed in place(scene, seed):
        _object(world, placed)
    _camera(world, scene.camera)
    ET.indent(root)
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def camera_yaml(scene: SceneSpec, frame_id: str) -> str:
    """Where the world's camera is, as `replan-agent calibrate` would write it."""
    return calibration_text(camera_pose(scene.camera), frame_id, OPTICAL_FRAME,
                            f'The true pose of the camera in the world {scene.name}.')


def sensor_pose(camera: CameraSpec) -> Pose:
    """The camera's pose in Gazebo's convention."""
    T = camera_pose(camera).matrix()
    T[:3, :3] = T[:3, :3] @ _SENSOR_IN_OPTICAL
    return Pose.from_matrix(T)


def _light(world: ET.Element) -> None:
    light = _node(world, 'light', name='sun', type='directional')
    _text(light, 'cast_shadows', 'true')
    _text(light, 'pose', (0, 0, 5, 0, 0, 0))
    _text(light, 'diffuse', (0.8, 0.8, 0.8, 1))
    _text(light, 'direction', (-0.35, -0.35, -1))


def _floor(world: ET.Element, table: TableSpec) -> None:
    link = _fixed(world, 'floor', Pose((0, 0, table.height - FLOOR_M)))
    for tag in ('collision', 'visual'):
        plane = _node(_node(_node(link, tag, name=f'floor_{tag}'), 'geometry'), 'plane')
        _text(plane, 'normal', (0, 0, 1))
        _text(plane, 'size', (10, 10))


def _table(world: ET.Element, table: TableSpec) -> None:
    centre = (*table.position, table.height - table.thickness / 2)
    link = _fixed(world, 'table', Pose(centre))
    shape = ET.Element('geom', type='box', name='top', size=' '.join(
        str(s / 2) for s in (*table.size, table.thickness)))
    _solid(link, shape, table.colour.rgb, table.friction)


def _object(world: ET.Element, placed: Placed) -> None:
    spec = placed.spec
    body = ET.Element('body')
    if spec.pieces:
        _add_boxes(body, spec)
    else:
        add_geoms(body, spec)
    if spec.shape is Shape.BOWL:
        _stand_on_the_floor(body)
    model = _model(world, spec.name, placed.pose)
    if spec.fixed:
        _text(model, 'static', 'true')
    link = _node(model, 'link', name=spec.name)
    inertial = _node(link, 'inertial')
    _text(inertial, 'mass', spec.mass)
    x, y, z = spec.size
    inertia = _node(inertial, 'inertia')  # of the solid box around it
    for tag, a, b in (('ixx', y, z), ('iyy', x, z), ('izz', x, y)):
        _text(inertia, tag, spec.mass / 12 * (a * a + b * b))
    for geom in body.iter('geom'):
        _solid(link, geom, spec.colour.rgb, spec.friction)


def _add_boxes(body: ET.Element, spec: ObjectSpec) -> None:
    """A box around each piece: Gazebo reads meshes from files only, and a world is one file."""
    for k, piece in enumerate(spec.pieces):
        low, high = piece.corners.min(axis=0), piece.corners.max(axis=0)
        node(body, 'geom', name=f'{spec.name}_{k}', type='box', pos=(low + high) / 2,
             size=(high - low) / 2)


def _stand_on_the_floor(body: ET.Element) -> None:
    """Shorten a bowl's walls at their lower end, so that its floor alone touches the table.

    With the corners of all walls on the table, Gazebo's engine takes twice as long for a step.
    """
    for wall in body.findall("geom[@type='box']"):
        x, y, half = _numbers(wall, 'size', ())
        up = quaternions.rotate_vector((0, 0, WALL_LIFT_M / 2), _numbers(wall, 'quat', ()))
        centre = np.add(_numbers(wall, 'pos', ()), up)
        wall.set('size', f'{x} {y} {half - WALL_LIFT_M / 2}')
        wall.set('pos', ' '.join(map(str, centre)))


def _solid(link: ET.Element, geom: ET.Element, rgb: Iterable[float], friction: float) -> None:
    """Add an MJCF geom to a link, as a collision and a visual."""
    x, y, z = _numbers(geom, 'pos', (0, 0, 0))
    qw, qx, qy, qz = _numbers(geom, 'quat', (1, 0, 0, 0))
    place = _pose_text(Pose((x, y, z), (qw, qx, qy, qz)))
    for tag in ('collision', 'visual'):
        part = _node(link, tag, name=f'{geom.get("name")}_{tag}')
        _text(part, 'pose', place)
        _geometry(_node(part, 'geometry'), geom)
        if tag == 'collision':
            ode = _node(_node(_node(part, 'surface'), 'friction'), 'ode')
            _text(ode, 'mu', friction)
            _text(ode, 'mu2', friction)
        else:
            material = _node(part, 'material')
            for kind in ('ambient', 'diffuse'):
                _text(material, kind, (*rgb, 1))


def _geometry(parent: ET.Element, geom: ET.Element) -> None:
    """Add the shape of a geom; MJCF has half sizes, SDF has full sizes."""
    kind = geom.get('type', '')
    size = _numbers(geom, 'size', ())
    shape = _node(parent, kind)
    if kind == 'box':
        _text(shape, 'size', [2 * s for s in size])
    elif kind in ('cylinder', 'sphere'):
        _text(shape, 'radius', size[0])
        if kind == 'cylinder':
            _text(shape, 'length', 2 * size[1])
    else:
        raise ValueError(f'cannot write a {kind!r} for Gazebo; valid: box, cylinder, sphere')


def _camera(world: ET.Element, camera: CameraSpec) -> None:
    """Colour and depth through one lens, so that they are registered."""
    link = _fixed(world, 'camera', sensor_pose(camera))
    sensor = _node(link, 'sensor', name='rgbd', type='rgbd_camera')
    _text(sensor, 'topic', CAMERA_TOPIC)
    _text(sensor, 'update_rate', CAMERA_RATE)
    _text(sensor, 'gz_frame_id', OPTICAL_FRAME)
    lens = _node(sensor, 'camera')
    width, height = camera.size
    fovx = 2 * math.atan(math.tan(math.radians(camera.fovy) / 2) * width / height)
    _text(lens, 'horizontal_fov', fovx)
    image = _node(lens, 'image')
    _text(image, 'width', width)
    _text(image, 'height', height)
    _text(image, 'format', 'R8G8B8')
    for parent in (lens, _node(lens, 'depth_camera')):
        clip = _node(parent, 'clip')
        _text(clip, 'near', 0.1)
        _text(clip, 'far', 10.0 if parent is lens else 5.0)


def _fixed(world: ET.Element, name: str, pose: Pose) -> ET.Element:
    """The link of something that never moves."""
    model = _model(world, name, pose)
    _text(model, 'static', 'true')
    return _node(model, 'link', name=name)


def _model(world: ET.Element, name: str, pose: Pose) -> ET.Element:
    model = _node(world, 'model', name=name)
    _text(model, 'pose', _pose_text(pose))
    return model


def _numbers(geom: ET.Element, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
    given = geom.get(key)
    return tuple(map(float, given.split())) if given else default


def _pose_text(pose: Pose) -> tuple[float, ...]:
    """x y z roll pitch yaw."""
    return (*pose.position, *euler.quat2euler(pose.quaternion, axes='sxyz'))


def _node(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, attributes)


def _text(parent: ET.Element, tag: str, value: str | float | Iterable[float]) -> None:
    element = ET.SubElement(parent, tag)
    if isinstance(value, str):
        element.text = value
    else:
        numbers = value if isinstance(value, Iterable) else (value,)
        element.text = ' '.join(f'{round(v, 9) + 0.0:.6g}' for v in numbers)


def main() -> int:
    parser = argparse.ArgumentParser(prog='python3 -m replan_agent_gazebo.gazebo_world',
                                     description='Write a scene as a world for Gazebo.')
    parser.add_argument('scene', help='a scene by name or a YAML file')
    parser.add_argument('world', type=Path, help='the SDF file to write')
    parser.add_argument('camera', type=Path, help='the YAML file to write, with its camera pose')
    parser.add_argument('--seed', type=int, default=0, help='of the random part (default: 0)')
    parser.add_argument('--model', choices=ARM_NAMES, default=NEWEST_ARM,
                        help=f'default: {NEWEST_ARM}')
    arguments = parser.parse_args()
    scene = scene_named(arguments.scene)
    write_whole(arguments.world, world_sdf(scene, arguments.seed))
    write_whole(arguments.camera, camera_yaml(scene, base_frame(arguments.model)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
