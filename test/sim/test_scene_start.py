# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene that cannot start is refused before anything is thrown around."""

from __future__ import annotations

import pytest

from replan_agent import ConfigError, Simulation
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.build.share import share_path
from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.scene.scene_file import list_scenes, parse_scene
from replan_agent.robot.mujoco.start_check import check_start, overlaps
from replan_agent.robot.mujoco.world import World

SCENES = list_scenes(share_path('config', 'scenes'))


def scene(*objects):
    return parse_scene({'objects': [
        {'name': name, 'shape': shape, 'size': size, 'position': at}
        for name, shape, size, at in objects]}, 'my.yaml')


def test_things_inside_each_other_are_named_with_the_depth():
    with pytest.raises(ConfigError, match='a and b by 30 mm'):
        Simulation(scene(('a', 'box', 0.04, [0.5, 0]), ('b', 'box', 0.04, [0.51, 0])))


def test_a_thing_inside_the_base_of_the_arm_is_refused():
    with pytest.raises(ConfigError, match='a and panda_link0 by .* mm'):
        Simulation(scene(('a', 'box', 0.04, [0, 0])))


def test_a_thing_that_is_given_a_height_and_falls_is_a_warning(caplog):
    Simulation(scene(('a', 'box', 0.04, [0.5, 0, 0.03]), ('b', 'box', 0.04, [0.5, 0.3, 0.2])))
    (said,) = caplog.messages
    assert 'b does not stand on anything at z = 0.200 m: it fell to z = 0.020 m' in said


def test_a_thing_sunk_into_the_table_is_refused():
    with pytest.raises(ConfigError, match='a and table by 20 mm'):
        Simulation(scene(('a', 'box', 0.04, [0.5, 0, 0.0])))


def test_things_may_touch_and_lie_in_a_bowl():
    world = World(scene(('a', 'box', 0.04, [0.5, 0]), ('b', 'box', 0.04, [0.54, 0]),
                        ('c', 'box', 0.04, [0.5, 0, 0.06]), ('bowl', 'bowl', [0.16, 0.06],
                                                             [0.5, 0.3]),
                        ('d', 'sphere', 0.03, [0.5, 0.3, 0.025])), PANDA)
    assert overlaps(world) == {}


def test_a_name_that_the_world_uses_itself_is_a_sentence():
    with pytest.raises(ConfigError, match='bowl_floor'):
        Simulation(scene(('bowl', 'bowl', [0.16, 0.06], [0.5, 0.3]),
                         ('bowl_floor', 'box', 0.04, [0.5, 0])))


@pytest.mark.parametrize('name', SCENES)
def test_the_scenes_of_the_package_start(name, caplog):
    for seed in range(3):
        check_start(World(scene_named(name), PANDA, seed=seed))
    assert not caplog.messages
