# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The world: real physics, the same every time, and the truth about it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.scene.scene_file import load_scene, parse_scene
from replan_agent.robot.mujoco.world import World

SCENES = Path(__file__).resolve().parents[3] / 'config' / 'scenes'


@pytest.mark.parametrize('name', ['tabletop', 'far_cube', 'pick_cube'])
def test_the_objects_of_a_shipped_scene_rest_where_the_file_puts_them(name) -> None:
    world = World(load_scene(name, SCENES), PANDA)
    world.step(500)
    for placed, thing in zip(world.placed, world.true_objects()[1:]):
        assert thing.pose.distance_to(placed.pose) < 1e-3
        assert thing.bottom_z == pytest.approx(0, abs=1e-3)


def test_the_clock_starts_at_zero_when_all_is_at_rest() -> None:
    world = World(load_scene('tabletop', SCENES), PANDA)
    assert world.time == 0.0 and np.abs(world.data.qvel).max() < 1e-2


def test_the_same_seed_moves_the_same_way() -> None:
    def run(seed: int) -> np.ndarray:
        world = World(load_scene('pick_cube', SCENES), PANDA, seed=seed)
        world.step(300)
        return world.data.qpos.copy()

    assert np.array_equal(run(5), run(5)) and not np.array_equal(run(5), run(6))


def test_looking_does_not_change_what_happens(make_bench, thing) -> None:
    def run(look: bool) -> np.ndarray:
        bench = make_bench(thing())
        if look:
            bench.world.on_step(bench.world.drawn, every_s=0.01)
        bench.grasp('cube')
        return bench.world.data.qpos.copy()

    assert np.array_equal(run(True), run(False))


def test_what_is_drawn_is_where_it_is_and_physics_has_no_looks(make_bench, thing) -> None:
    world = make_bench(thing()).world
    world.data.joint('cube').qpos[2] = 0.3
    model, data = world.drawn()
    assert data.geom('cube').xpos[2] == pytest.approx(0.3)
    assert model.ngeom > world.model.ngeom and model.nq == world.model.nq
    assert world.model.geom_contype.all()


def test_true_objects_tell_shape_size_colour_and_what_can_move(make_bench, thing) -> None:
    wall = thing('wall', Shape.WALL, (0.02, 0.3, 0.3), (0.8, 0, None), fixed=True)
    table, cube, wall = make_bench(thing(), wall).world.true_objects()
    assert (table.shape, table.movable, table.top_z) == (Shape.TABLE, False, 0.0)
    assert (cube.size, cube.colour, cube.movable) == ((0.04, 0.04, 0.04), 'red', True)
    assert (wall.shape, wall.movable, wall.position[2]) == (Shape.WALL, False, 0.15)


def test_a_bowl_fills_the_box_that_its_size_says(make_bench, thing) -> None:
    world = make_bench(thing('bowl', Shape.BOWL, (0.16, 0.16, 0.055))).world
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    for g in np.flatnonzero(world.model.geom_bodyid == world.model.body('bowl').id):
        rotation, size = np.zeros(9), world.model.geom_size[g].copy()
        if world.model.geom(g).name == 'bowl_floor':
            size = size[[0, 0, 1]]
        mujoco.mju_quat2Mat(rotation, world.model.geom_quat[g])
        points = world.model.geom_pos[g] + (corners * size) @ rotation.reshape(3, 3).T
        low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    assert np.allclose(high - low, [0.16, 0.16, 0.055], atol=0.004)
    assert np.allclose(high + low, 0, atol=0.004)


def test_an_object_in_the_air_falls(make_bench, thing) -> None:
    bench = make_bench(thing(position=(0.5, 0.1, 0.3)))
    assert bench.thing('cube').position[2] == pytest.approx(0.02, abs=1e-3)


def test_a_pushed_sphere_rolls_and_a_pushed_cube_does_not(make_bench, thing) -> None:
    ball = thing('ball', Shape.SPHERE, (0.05, 0.05, 0.05), (0.5, -0.1, None))
    bench = make_bench(thing(), ball)
    for name in ('cube', 'ball'):
        bench.world.data.joint(name).qvel[0] = 0.2
    start = {name: bench.thing(name).position for name in ('cube', 'ball')}
    bench.world.step(1000)
    travel = {name: bench.thing(name).position[0] - x for name, (x, _, _) in start.items()}
    assert travel['ball'] > 0.15 and travel['cube'] < 0.02


def test_the_bowl_and_the_bin_hold_a_ball(make_bench, thing) -> None:
    parts = (thing('bowl', Shape.BOWL, (0.16, 0.16, 0.055), (0.5, -0.2, None), mass=0.3),
             thing('bin', Shape.BIN, (0.2, 0.16, 0.07), (0.5, 0.2, None), mass=0.3),
             thing('a', Shape.SPHERE, (0.04, 0.04, 0.04), (0.52, -0.2, 0.1)),
             thing('b', Shape.SPHERE, (0.04, 0.04, 0.04), (0.54, 0.2, 0.15)))
    bench = make_bench(*parts)
    bench.world.step(2000)
    for ball, container in (('a', 'bowl'), ('b', 'bin')):
        offset = np.subtract(bench.thing(ball).position, bench.thing(container).position)
        assert np.abs(offset[:2]).max() < 0.08 and bench.thing(ball).position[2] < 0.05


def test_listeners_are_called_at_their_rate_until_they_end(bench) -> None:
    times: list[float] = []
    end = bench.world.on_step(lambda: times.append(bench.world.time), every_s=0.1)
    bench.world.step(250)
    end()
    bench.world.step(250)
    assert times == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


def test_the_arm_stands_on_a_pedestal_where_no_table_carries_it() -> None:
    world = World(parse_scene({'table': {'position': [0.8, 0], 'size': [0.8, 0.8],
                                         'height': -0.2}}, 'low'), PANDA)
    assert world.true_objects()[0].top_z == pytest.approx(-0.2)
    assert world.model.geom_bodyid.tolist().count(0) == 1


def test_a_fixed_container_cannot_be_pushed(make_bench, thing) -> None:
    bowl = thing('bowl', Shape.BOWL, (0.16, 0.16, 0.055), (0.5, 0.0, None), fixed=True)
    bench = make_bench(bowl)
    bench.robot.move_gripper(0.0, Context())
    bench.go(0.5, 0.2, 0.03)
    bench.robot.execute(bench.trajectory(bench.joints_above(0.5, 0.0, 0.03)), Context())
    assert bench.thing('bowl').position[:2] == (0.5, 0.0)
