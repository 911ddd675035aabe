# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene files: what they may say, and the errors of wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_file import list_scenes, load_scene, parse_scene

SCENES = Path(__file__).resolve().parents[3] / 'config' / 'scenes'
CUBE = {'name': 'cube', 'shape': 'box', 'size': 0.04, 'position': [0.5, 0.0]}


def one(**changes: Any) -> dict[str, Any]:
    """A scene with one cube, changed."""
    return {'objects': [{**CUBE, **changes}]}


def test_a_full_scene_is_read_as_written() -> None:
    scene = parse_scene({
        'name': 'mine', 'description': 'a test', 'robot': {'model': 'fr3'},
        'table': {'size': [1.0, 0.8], 'position': [0.4, 0.1], 'height': -0.1, 'colour': 'grey',
                  'friction': 0.4},
        'camera': {'position': [1, 0, 1], 'look_at': [0.5, 0, 0], 'fovy': 60, 'size': [320, 240]},
        'objects': [{'name': 'can', 'shape': 'cylinder', 'size': [0.05, 0.1], 'mass': 0.2,
                     'colour': [0.1, 0.2, 0.3], 'friction': 0.5, 'position': [0.5, 0.1, 0.3],
                     'rpy': [0.1, 0.2, 0.3]}],
    }, 'mine.yaml')
    can = scene.objects[0]
    assert (scene.name, scene.model, scene.table.height) == ('mine', 'fr3', -0.1)
    assert (scene.camera.size, scene.camera.fovy) == ((320, 240), 60.0)
    assert (can.shape, can.size, can.position) == (
        Shape.CYLINDER, (0.05, 0.05, 0.1), (0.5, 0.1, 0.3))
    assert (can.mass, can.friction, can.colour.rgb) == (0.2, 0.5, (0.1, 0.2, 0.3))


@pytest.mark.parametrize(('shape', 'size', 'extents'), [
    ('box', 0.04, (0.04, 0.04, 0.04)), ('box', [0.02, 0.1, 0.03], (0.02, 0.1, 0.03)),
    ('cylinder', [0.04, 0.08], (0.04, 0.04, 0.08)), ('sphere', 0.05, (0.05, 0.05, 0.05)),
    ('bowl', [0.16, 0.055], (0.16, 0.16, 0.055)), ('bin', [0.2, 0.1, 0.05], (0.2, 0.1, 0.05)),
    ('wall', [0.02, 0.5, 0.3], (0.02, 0.5, 0.3)),
])  # fmt: skip
def test_a_size_becomes_the_full_extents_of_the_shape(shape, size, extents) -> None:
    assert parse_scene(one(shape=shape, size=size), 'x').objects[0].size == extents


def test_an_object_without_z_rests_on_the_table() -> None:
    assert parse_scene(one(), 'x').objects[0].position[2] is None


def test_a_wall_is_fixed_by_default() -> None:
    assert parse_scene(one(shape='wall', size=[0.02, 0.3, 0.3]), 'x').objects[0].fixed


@pytest.mark.parametrize(('values', 'key', 'allowed'), [
    ([], 'my.yaml', 'mapping'),
    ({'tabel': {}}, "'tabel'", 'table'),
    ({'objects': {}}, 'objects', 'a list'),
    ({'objects': ['cube']}, 'object 1', 'name, shape'),
    ({'robot': {'model': 'ur5'}}, 'robot.model', 'panda, fr3'),
    ({'table': {'colour': 'mauve'}}, 'table.colour', 'red'),
    ({'table': {'color': 'red'}}, 'table', "did you mean 'colour'?"),
    ({'table': {'size': [1, 2, 3]}}, 'table.size', 'list of 2 numbers'),
    ({'table': {'height': 'high'}}, 'table.height', 'from -0.7 to 0.7'),
    ({'camera': {'fovy': 300}}, 'camera.fovy', '5 to 120'),
    ({'camera': {'position': [0, 0, 1], 'look_at': [0, 0, 1]}}, 'camera.look_at', 'another'),
    ({'objects': [CUBE, CUBE]}, 'object 2 (cube).name', 'in use'),
    (one(name='table'), 'object 1 (table).name', 'a part of'),
    (one(name='world'), 'object 1 (world).name', 'a part of'),
    (one(name='panda_link0'), 'object 1 (panda_link0).name', 'a part of'),
    (one(name='fr3_leftfinger'), 'object 1 (fr3_leftfinger).name', 'a part of'),
    (one(name='a' * 61), 'object 1.name', '60'),
    (one(randomize={'radius': [0.3, 0.4]}), 'object 1 (cube).position', 'absent'),
    (one(randomize={'x': [0.3, 0.4], 'y': [0, 0.1]}), 'object 1 (cube).position', 'absent'),
    (one(name='red cube'), 'object 1.name', 'letters'),
    (one(shape='cone'), 'object 1 (cube).shape', 'box, cylinder, sphere, bowl, bin, wall'),
    (one(size=[0.04, 0.04]), 'object 1 (cube).size', '[x, y, z]'),
    (one(size=-0.04), 'object 1 (cube).size', '0.002'),
    (one(shape='bowl', size=0.1), 'object 1 (cube).size', '[diameter, height]'),
    (one(mass=0), 'object 1 (cube).mass', '0.001 to 20'),
    (one(mass=float('nan')), 'object 1 (cube).mass', '0.001 to 20'),
    (one(friction=True), 'object 1 (cube).friction', 'a number'),
    (one(position=[0.5]), 'object 1 (cube).position', '2 or 3 numbers'),
    (one(yaw=0.1, rpy=[0, 0, 0]), 'object 1 (cube).yaw', 'rpy'),
    (one(fixed='yes'), 'object 1 (cube).fixed', 'true or false'),
    (one(shape='wall', size=[0.1, 0.1, 0.1], fixed=False), 'object 1 (cube).fixed', 'true'),
    (one(randomize={'z': [0, 1]}), 'object 1 (cube).randomize', 'x, y, radius, angle, yaw'),
    (one(randomize={'x': [1, 0]}), 'object 1 (cube).randomize.x', '[lowest, highest]'),
    (one(randomize={'angle': [0, 1]}), 'object 1 (cube).randomize.angle', 'radius'),
    (one(randomize={'radius': [0.3, 0.4], 'x': [0, 1]}), 'object 1 (cube).randomize.radius',
     'x or y'),
])  # fmt: skip
def test_a_wrong_scene_names_the_file_the_key_and_what_is_allowed(values, key, allowed) -> None:
    with pytest.raises(ConfigError) as error:
        parse_scene(values, 'my.yaml')
    message = str(error.value)
    assert message.startswith('my.yaml') and key in message and allowed in message


def test_a_missing_key_is_called_missing() -> None:
    with pytest.raises(ConfigError, match=r'object 1 \(cube\).shape.*it is missing'):
        parse_scene({'objects': [{'name': 'cube'}]}, 'my.yaml')


def test_an_object_needs_a_position_unless_it_is_random() -> None:
    cube = {'name': 'cube', 'shape': 'box', 'size': 0.04}
    parse_scene({'objects': [{**cube, 'randomize': {'radius': [0.3, 0.7]}}]}, 'x')
    with pytest.raises(ConfigError, match='position'):
        parse_scene({'objects': [{**cube, 'randomize': {'yaw': [0, 1]}}]}, 'x')


def test_an_unknown_scene_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match='far_cube.*pick_cube.*tabletop'):
        load_scene('garage', SCENES)


def test_a_file_that_is_not_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / 'broken.yaml'
    path.write_text('objects: [}')
    with pytest.raises(ConfigError, match='broken.yaml.*not valid YAML'):
        load_scene(path, SCENES)


def test_a_scene_can_be_loaded_from_anywhere_by_path(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('description: empty')
    assert load_scene(str(path), SCENES).name == 'mine'


@pytest.mark.parametrize('name', ['tabletop', 'far_cube', 'pick_cube'])
def test_a_scene_that_we_ship_loads_and_says_what_it_is(name: str) -> None:
    scene = load_scene(name, SCENES)
    assert name in list_scenes(SCENES) and scene.name == name and scene.description


def test_an_object_can_be_as_clear_as_glass():
    thing = {'name': 'pane', 'shape': 'wall', 'size': [0.1, 0.01, 0.1], 'position': [0.5, 0]}
    for unseen in (True, False):
        spec = parse_scene({'objects': [{**thing, 'unseen': unseen}]}, 'test')
        assert spec.objects[0].unseen is unseen


@pytest.mark.parametrize(('second', 'says'), [
    ({'name': 'bar', 'shape': 'box', 'position': [0.5, 0]},
     'x: object 2 (bar).size: it is missing; one edge length or [x, y, z] of a box, m'),
    ({'name': 'a bar', 'shape': 'box', 'position': [0.5, 0]}, 'x: object 2.name: must be'),
    ({'name': 'bar', 'shape': 'box', 'size': 0.04, 'position': [2.45, 0.1]},
     'x: object 2 (bar).position: (2.45, 0.1) m is beside the table, which goes from x = -0.275')])
def test_an_object_is_named_by_its_place_counted_from_one_and_its_name(second, says):
    with pytest.raises(ConfigError) as error:
        parse_scene({'objects': [CUBE, second]}, 'x')
    assert says in str(error.value)


@pytest.mark.parametrize('changes', [
    {'position': [2.45, 0.1, 0.3]}, {'position': [2.45, 0.1], 'fixed': True},
    {'position': [0.975, 0.65]}])
def test_a_thing_with_a_z_or_that_stays_or_at_the_edge_may_be_there(changes):
    assert parse_scene(one(**changes), 'x').objects
