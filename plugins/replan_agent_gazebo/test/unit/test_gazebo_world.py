# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""config/: the world is the scene, and every other file there says the same as the world."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import yaml
from replan_agent_gazebo.gazebo_world import camera_yaml, world_sdf
from sdf_checker import command, complaints

from replan_agent.app.calibration_file import read_calibration
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.mjcf.scene_mjcf import camera_pose
from replan_agent.robot.mujoco.scene.placement import place
from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

ROOT = Path(__file__).resolve().parents[4]
FOLDER = Path(__file__).resolve().parents[2] / 'config'
WORLD = FOLDER / 'tabletop.sdf'
SCENES = ROOT / 'config' / 'scenes'
WITH_CHECKER = pytest.mark.skipif(
    command(WORLD) is None, reason='no SDF checker: apt-get install libsdformat12-12')


@pytest.fixture(scope='module')
def scene() -> SceneSpec:
    return load_scene('tabletop', SCENES)


@pytest.fixture(scope='module')
def world() -> ET.Element:
    found = ET.parse(WORLD).getroot().find('world')
    assert found is not None
    return found


def pose_of(element: ET.Element) -> Pose:
    return Pose.from_rpy(*map(float, element.findtext('pose', '').split()))


def test_the_world_is_what_the_scene_gives(scene: SceneSpec) -> None:
    again = 'python3 -m replan_agent_gazebo.gazebo_world tabletop ' \
            'config/tabletop.sdf config/camera.yaml'
    assert WORLD.read_text('utf-8') == world_sdf(scene), again
    assert (FOLDER / 'camera.yaml').read_text('utf-8') == camera_yaml(scene, 'fr3_link0'), again


@WITH_CHECKER
@pytest.mark.parametrize('name', sorted(path.stem for path in SCENES.glob('*.yaml')))
def test_the_worlds_of_all_scenes_are_valid_sdf(name: str, tmp_path: Path) -> None:
    path = tmp_path / 'world.sdf'
    path.write_text(world_sdf(load_scene(name, SCENES)), 'utf-8')
    assert complaints(path) == ''


@WITH_CHECKER
def test_the_checker_finds_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / 'world.sdf'
    text = WORLD.read_text('utf-8')
    path.write_text(text.replace('name="blue_cube"', 'name="red_cube"'), 'utf-8')
    assert 'red_cube' in complaints(path)


def test_every_object_stands_where_the_scene_says(scene: SceneSpec, world: ET.Element) -> None:
    models = {model.get('name'): model for model in world.iter('model')}
    assert set(models) == {'floor', 'table', 'camera', *(o.name for o in scene.objects)}
    for placed in place(scene, 0):
        model = models[placed.spec.name]
        np.testing.assert_allclose(pose_of(model).matrix(), placed.pose.matrix(), atol=1e-5)
        assert float(model.findtext('.//mass', '')) == pytest.approx(placed.spec.mass)
        assert all(float(mu.text or '') == placed.spec.friction for mu in model.iter('mu'))


def test_solids_fill_the_size_that_the_scene_gives(scene: SceneSpec, world: ET.Element) -> None:
    """A box is its size; a bin's parts reach its outside and no further."""
    for spec in scene.objects:
        (model,) = (m for m in world.iter('model') if m.get('name') == spec.name)
        corners = [pose_of(part).matrix()[:3, 3] + sign * np.array(half)
                   for part in model.iter('collision') for sign in (-1, 1)
                   for half in [_half(part)] if not pose_of(part).matrix()[0, 2]]
        if spec.shape.value in ('box', 'bin', 'cylinder'):
            np.testing.assert_allclose(np.ptp(corners, axis=0), spec.size, atol=1e-5)


def test_a_bowl_stands_on_its_floor_alone(scene: SceneSpec, world: ET.Element) -> None:
    """More contacts with the table are of no use and cost Gazebo most of its time."""
    (spec,) = (s for s in scene.objects if s.shape is Shape.BOWL)
    (model,) = (m for m in world.iter('model') if m.get('name') == spec.name)
    lowest, highest = {}, []
    for part in model.iter('collision'):
        T = pose_of(part).matrix()
        reach = float(np.abs(T[2, :3]) @ _half(part))
        lowest[part.get('name')] = T[2, 3] - reach
        highest.append(T[2, 3] + reach)
    assert lowest.pop('bowl_floor_collision') == pytest.approx(-spec.size[2] / 2, abs=1e-5)
    assert min(lowest.values()) > -spec.size[2] / 2 + 0.0005
    assert max(highest) == pytest.approx(spec.size[2] / 2, abs=1e-5)


def _half(part: ET.Element) -> list[float]:
    box = part.findtext('geometry/box/size')
    if box:
        return [float(s) / 2 for s in box.split()]
    radius = float(part.findtext('geometry/cylinder/radius', ''))
    return [radius, radius, float(part.findtext('geometry/cylinder/length', '')) / 2]


def test_the_camera_sees_what_the_embedded_one_sees(scene: SceneSpec, world: ET.Element) -> None:
    (model,) = (m for m in world.iter('model') if m.get('name') == 'camera')
    T = pose_of(model).matrix()
    optical = camera_pose(scene.camera).matrix()
    np.testing.assert_allclose(T[:3, 3], optical[:3, 3], atol=1e-5)
    np.testing.assert_allclose(T[:3, 0], optical[:3, 2], atol=1e-5)  # forward
    np.testing.assert_allclose(T[:3, 2], -optical[:3, 1], atol=1e-5)  # up
    width = int(model.findtext('.//image/width', ''))
    focal = width / 2 / math.tan(float(model.findtext('.//horizontal_fov', '')) / 2)
    height = scene.camera.size[1]
    assert focal == pytest.approx(
        height / 2 / math.tan(math.radians(scene.camera.fovy) / 2), rel=1e-5)


def test_the_camera_is_told_to_be_where_the_world_has_it(scene: SceneSpec) -> None:
    told, frame = read_calibration(FOLDER / 'camera.yaml')
    np.testing.assert_allclose(told.matrix(), camera_pose(scene.camera).matrix(), atol=2e-6)
    assert frame == 'fr3_link0'


def test_the_bridge_joins_the_topics_of_the_world_with_those_of_the_agent(
        world: ET.Element) -> None:
    bridged = {row['gz_topic_name']: row for row in
               yaml.safe_load((FOLDER / 'bridge.yaml').read_text('utf-8'))}
    topic = world.findtext('.//sensor/topic')
    given = yaml.safe_load((FOLDER / 'gazebo.yaml').read_text('utf-8'))
    parameters = given['/**']['ros__parameters']
    for gz, parameter, kind in (('image', 'color_image', 'Image'),
                                ('depth_image', 'depth_image', 'Image'),
                                ('camera_info', 'camera_info', 'CameraInfo')):
        row = bridged.pop(f'/{topic}/{gz}')
        assert row['ros_topic_name'] == parameters[parameter]
        assert row['ros_type_name'] == f'sensor_msgs/msg/{kind}'
        assert row['gz_type_name'] == f'gz.msgs.{kind}'
        assert row['direction'] == 'GZ_TO_ROS'
    assert bridged.pop('/clock')['ros_type_name'] == 'rosgraph_msgs/msg/Clock'
    assert not bridged
