# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Seeing rendered scenes with the camera alone, and acting on what is seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.perceive.scene_memory import SceneMemory
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.scene.scene_spec import (
    CameraNoise,
    CameraSpec,
    Colour,
    ObjectSpec,
    SceneSpec,
)

pytestmark = pytest.mark.gl


def block(name, x, y, size=(0.04, 0.04, 0.04), yaw=0.0, shape=Shape.BOX, colour=None, **more):
    colour = Colour.named(colour or name.split('_')[0])
    return ObjectSpec(name, shape, size, colour, (x, y, None), (0, 0, yaw), **more)


RED = block('red_cube', 0.46, 0.10, yaw=0.3)
BLUE = block('blue_cube', 0.56, -0.06, yaw=-0.4)
BOWL = block('bowl', 0.50, 0.30, (0.16, 0.16, 0.055), shape=Shape.BOWL, colour='white', mass=0.3)
BIN = block('bin', 0.48, -0.30, (0.20, 0.16, 0.07), 0.1, Shape.BIN, 'grey', mass=0.35)
CLUTTER = (RED, BLUE, BOWL, BIN,
           block('green_cylinder', 0.40, -0.07, (0.04, 0.04, 0.07), shape=Shape.CYLINDER),
           block('yellow_bar', 0.62, 0.10, (0.024, 0.11, 0.024), 0.9),
           block('purple_ball', 0.36, 0.2, (0.05,) * 3, shape=Shape.SPHERE))


def sim_of(*objects, noise=None, seed=0):
    config = replace(load_config(), perception='camera')
    camera = CameraSpec(noise=noise or CameraNoise())
    return Simulation(SceneSpec('test', objects=objects, camera=camera), config=config, seed=seed)


def look(sim):
    return sim.perception.observe(Context())


def truth(sim, name):
    return next(o for o in sim.world.true_objects() if o.name == name)


def run(sim, task):
    return sim.agent(MemoryRecorder()).run(task)


def off_mm(seen, true):
    return 1000 * math.dist(seen.position, true.position)


def test_a_cluttered_table_is_seen_with_every_name_shape_and_size():
    sim = sim_of(*CLUTTER)
    scene = look(sim)
    assert set(scene.names()) == {'table', *(o.name for o in CLUTTER)}
    for spec in CLUTTER:
        seen, true = scene.get(spec.name), truth(sim, spec.name)
        assert seen.shape is true.shape and seen.colour == true.colour, spec.name
        assert off_mm(seen, true) < 2.5, spec.name
        assert sorted(seen.size) == pytest.approx(sorted(true.size), abs=0.003), spec.name


@pytest.mark.parametrize('yaw', [-1.4, -0.7, 0.0, 0.35, 0.8])
def test_the_yaw_of_a_bar_is_seen_to_two_degrees(yaw):
    sim = sim_of(block('yellow_bar', 0.5, 0.0, (0.024, 0.11, 0.024), yaw))
    seen = look(sim).get('yellow_bar')
    along = seen.pose.yaw + (math.pi / 2 if seen.size[1] < seen.size[0] else 0.0)
    assert abs(math.remainder(along - yaw, math.pi)) < math.radians(2)


@pytest.mark.parametrize('yaw', [-1.4, -0.9, -0.3, 0.3, 0.9, 1.5])
def test_a_cylinder_on_its_side_is_one_from_wherever_it_is_seen(yaw):
    """Broadside the camera sees less than its diameter from above."""
    upright = block('red_cylinder', 0.5, 0.1, (0.05, 0.05, 0.08), shape=Shape.CYLINDER)
    sim = sim_of(replace(upright, rpy=(math.pi / 2, 0.0, yaw)))
    seen = look(sim).get('red_cylinder')
    assert off_mm(seen, truth(sim, 'red_cylinder')) < 2
    assert seen.size == pytest.approx((0.05, 0.05, 0.08), abs=0.003)


def test_the_table_is_found_without_prior_knowledge():
    low = SceneSpec('low', objects=(RED,))
    low = replace(low, table=replace(low.table, height=-0.12))
    sim = Simulation(low, config=replace(load_config(), perception='camera'))
    scene = look(sim)
    assert scene.table.top_z == pytest.approx(-0.12, abs=0.001)
    assert off_mm(scene.get('red_cube'), truth(sim, 'red_cube')) < 2.5


def test_touching_cubes_of_different_colours_are_separated():
    sim = sim_of(block('red_cube', 0.5, 0.0205), block('blue_cube', 0.5, -0.0205))
    scene = look(sim)
    for name in ('red_cube', 'blue_cube'):
        assert off_mm(scene.get(name), truth(sim, name)) < 4


def test_touching_cubes_of_one_colour_are_separated():
    sim = sim_of(block('first', 0.5, 0.03, colour='red'),
                 block('second', 0.5, -0.0195, yaw=math.pi / 4, colour='red'))
    scene = look(sim)
    assert scene.names() == ('table', 'red_cube_1', 'red_cube_2')
    assert off_mm(scene.get('red_cube_1'), truth(sim, 'first')) < 4
    assert off_mm(scene.get('red_cube_2'), truth(sim, 'second')) < 6


def test_a_partly_hidden_cube_is_found_and_less_trusted():
    tall = block('green_cylinder', 0.53, 0.07, (0.05, 0.05, 0.08), shape=Shape.CYLINDER)
    sim = sim_of(block('red_cube', 0.46, 0.05), tall)
    scene = look(sim)
    assert off_mm(scene.get('red_cube'), truth(sim, 'red_cube')) < 8
    assert scene.get('red_cube').confidence < scene.get('green_cylinder').confidence


def test_two_cubes_of_one_colour_are_numbered_from_left_to_right():
    sim = sim_of(block('a', 0.5, -0.15, colour='red'), block('b', 0.45, 0.2, colour='red'))
    scene = look(sim)
    assert off_mm(scene.get('red_cube_1'), truth(sim, 'b')) < 2.5
    assert off_mm(scene.get('red_cube_2'), truth(sim, 'a')) < 2.5


def test_one_of_two_alike_keeps_its_name_while_it_is_carried():
    sim = sim_of(block('a', 0.5, -0.15, colour='red'), block('b', 0.45, 0.1, colour='red'))
    result = run(sim, 'pick up the rightmost red cube')
    assert result.success, result.final_detail
    scene = look(sim)
    assert scene.held == 'red_cube_2'
    assert off_mm(scene.get('red_cube_2'), truth(sim, 'a')) < 6
    assert off_mm(scene.get('red_cube_1'), truth(sim, 'b')) < 2.5


def test_the_arm_in_the_middle_of_the_picture_is_no_object():
    sim = sim_of(RED, BOWL)
    look(sim)
    assert run(sim, 'pick up the red cube').success
    assert set(look(sim).names()) == {'table', 'red_cube', 'bowl'}


def test_a_held_object_is_where_the_gripper_has_it():
    sim = sim_of(RED)
    assert run(sim, 'pick up the red cube').success
    scene = look(sim)
    assert scene.held == 'red_cube'
    assert off_mm(scene.get('red_cube'), truth(sim, 'red_cube')) < 5


def test_a_cube_held_high_that_the_fingers_hide_hangs_below_them():
    """Between the walls of a bin the fingers take it near its top. One of them hides it."""
    bin_ = block('bin', 0.48, -0.32, (0.28, 0.22, 0.065), shape=Shape.BIN, colour='grey', mass=0.8)
    cube = replace(block('green_cube', 0.0, 0.0, (0.035,) * 3, math.radians(53)),
                   position=(0.462, -0.358, 0.0245))
    sim = sim_of(cube, BOWL, bin_)
    assert run(sim, 'pick up the green cube').success
    held, true = look(sim).get('green_cube'), truth(sim, 'green_cube')
    assert held.bottom_z == pytest.approx(true.bottom_z, abs=0.003)
    assert run(sim, 'put it on the table').success


@pytest.mark.parametrize('item', [
    block('red_cube', 0.45, 0.15, (0.024,) * 3, yaw=0.7, mass=0.02),
    block('red_bar', 0.5, 0.2, (0.024, 0.11, 0.024), yaw=1.2),
    block('red_cylinder', 0.55, 0.0, (0.05, 0.05, 0.08), shape=Shape.CYLINDER),
    block('red_ball', 0.5, -0.2, (0.045,) * 3, shape=Shape.SPHERE),
], ids=['cube', 'bar', 'cylinder', 'ball'])
def test_an_object_is_picked_from_pixels_alone(item):
    sim = sim_of(item)
    result = run(sim, f'pick up the {item.name}')
    assert result.success and result.perception == 'camera', result.final_detail
    assert truth(sim, item.name).bottom_z > 0.08


def test_a_cube_is_put_in_the_bowl_from_pixels_alone():
    sim = sim_of(*CLUTTER)
    result = run(sim, 'put the red cube in the bowl')
    assert result.success and result.goal_verified is True, result.final_detail
    cube, bowl = truth(sim, 'red_cube'), truth(sim, 'bowl')
    assert math.dist(cube.position[:2], bowl.position[:2]) < 0.04 and cube.bottom_z < 0.03


@pytest.mark.parametrize('diameter', [0.04, 0.055])
def test_a_ball_is_put_in_the_bowl_and_known_again_there(diameter):
    """What is seen lowest of a ball is not its foot: neither in the hand nor in the bowl."""
    sim = sim_of(block('red_ball', 0.44, 0.10, (diameter,) * 3, shape=Shape.SPHERE), BOWL)
    assert run(sim, 'pick up the red ball').success
    assert off_mm(look(sim).get('red_ball'), truth(sim, 'red_ball')) < 2.5
    result = run(sim, 'put the red ball in the bowl')
    assert result.success and not result.attempts, result.final_detail
    assert off_mm(look(sim).get('red_ball'), truth(sim, 'red_ball')) < 2.5


def test_a_cube_is_stacked_on_another_from_pixels_alone():
    sim = sim_of(RED, BLUE)
    result = run(sim, 'stack the red cube on the blue cube')
    assert result.success, result.final_detail
    assert truth(sim, 'red_cube').bottom_z == pytest.approx(0.04, abs=0.004)


def test_noise_costs_millimetres_and_no_names():
    noise = CameraNoise(depth_sigma=0.002, dropout=0.05, exposure=0.85)
    sim = sim_of(*CLUTTER, noise=noise)
    scene = look(sim)
    assert set(scene.names()) == {'table', *(o.name for o in CLUTTER)}
    for spec in CLUTTER:
        assert off_mm(scene.get(spec.name), truth(sim, spec.name)) < 4, spec.name


def test_a_calibration_error_shifts_what_is_seen_by_about_as_much():
    sim = sim_of(RED, noise=CameraNoise(calibration_mm=8))
    assert 2 < off_mm(look(sim).get('red_cube'), truth(sim, 'red_cube')) < 12


class Blackout:
    """The scene's camera until it is switched off."""

    def __init__(self, sim):
        self.camera, self.dark = MujocoCamera(sim.world), False

    def capture(self, ctx):
        if self.dark:
            raise CameraError('the cable is out')
        return self.camera.capture(ctx)


def blacked_out(sim):
    camera = Blackout(sim)
    seen = ColourDepthPerception(camera, sim.robot, PANDA)
    return camera, SceneMemory(seen, sim.config.scene_memory, seen.is_hidden)


def test_in_a_blackout_the_last_scene_stays_and_is_called_stale():
    camera, memory = blacked_out(sim_of(RED, BLUE))
    before = memory.observe(Context())
    camera.dark = True
    after = memory.observe(Context())
    assert after.stale and after.objects == before.objects
    assert 'the cable is out' in after.warnings[0]


def test_a_task_in_the_dark_from_the_start_ends_with_perception_lost():
    sim = sim_of(RED)
    camera, memory = blacked_out(sim)
    camera.dark = True
    agent = replace(sim.agent(MemoryRecorder()), perception=memory)
    result = agent.run('pick up the red cube')
    assert result.final_reason is FinalReason.PERCEPTION_LOST
    assert 'the cable is out' in result.final_detail and sim.world.time == 0.0


def test_the_camera_calls_things_by_the_aliases_of_the_scene_file():
    with Simulation('desk', perception='camera') as sim:
        names = {thing.name for thing in sim.scene.objects}
    assert {'bottle', 'bracket', 'sponge', 'tape', 'tray'} <= names


def test_a_bottle_keeps_its_length_when_something_hides_its_end() -> None:
    def put(name: str, at: Sequence[float], yaw: float) -> None:
        """Lying, turned by this angle (rad)."""
        c, s = math.cos(yaw / 2) / math.sqrt(2), math.sin(yaw / 2) / math.sqrt(2)
        joint = sim.world.data.joint(name)
        joint.qpos[:3], joint.qpos[3:], joint.qvel[:] = at, (c, -s, c, s), 0.0
        sim.world.refresh_view()

    with Simulation('desk', perception='camera') as sim:
        put('bracket', (0.7, -0.5, 0.05), 0.0)
        put('bottle', (0.43, 0.17, 0.035), -1.36)
        sim.world.step(400)
        before = next(o for o in sim.scene.objects if o.colour == 'green')
        at, turn = sim.world.data.body('bottle').xpos.copy(), sim.world.data.body('bottle').xmat
        away = sim.world.data.cam(0).xpos[:2] - at[:2]
        end = at[:2] + 0.06 * turn.reshape(3, 3)[:2, 2] + 0.065 * away / math.hypot(*away)
        put('sponge', (*end, 0.0505), math.atan2(away[1], away[0]))
        now = [o for o in sim.scene.objects if o.colour == 'green']
    assert [o.name for o in now] == [before.name]
    assert max(now[0].size) == pytest.approx(max(before.size), abs=0.01)
    assert math.dist(now[0].position[:2], at[:2]) < 0.02
