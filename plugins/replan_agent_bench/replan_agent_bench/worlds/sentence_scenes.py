# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Seventeen scenes to read sentences in. Made by hand: no simulator, no camera."""

from __future__ import annotations

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape

CUBE, SMALL, BIG = 0.04, 0.03, 0.05


def thing(name: str, x: float, y: float, shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = (CUBE, CUBE, CUBE), on: float = 0.0,
          colour: str = '', yaw: float = 0.0) -> SceneObject:
    """An object that stands `on` that height (m). Its colour is the first part of its name."""
    return SceneObject(name, shape, size, Pose.from_rpy(x, y, on + size[2] / 2, yaw=yaw),
                       colour or name.split('_')[0])


def cube(name: str, x: float, y: float, side: float = CUBE, on: float = 0.0) -> SceneObject:
    return thing(name, x, y, size=(side, side, side), on=on)


def ball(name: str, x: float, y: float, colour: str = '', side: float = 0.05) -> SceneObject:
    return thing(name, x, y, Shape.SPHERE, (side, side, side), colour=colour)


def plate(name: str, x: float, y: float) -> SceneObject:
    return thing(name, x, y, Shape.CYLINDER, (0.12, 0.12, 0.01))


def long_thing(name: str, x: float, y: float, size: tuple[float, float, float], colour: str,
               yaw: float) -> SceneObject:
    return thing(name, x, y, size=size, colour=colour, yaw=yaw)


TABLE = SceneObject('table', Shape.TABLE, (0.9, 1.2, 0.04), Pose((0.45, 0.0, -0.02)), 'wood',
                    movable=False)
BOWL = thing('bowl', 0.50, 0.30, Shape.BOWL, (0.16, 0.16, 0.055), colour='white')
BIN = thing('bin', 0.48, -0.30, Shape.BIN, (0.20, 0.16, 0.07), colour='grey', yaw=0.1)


def scene(*objects: SceneObject, held: str | None = None) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home=False)
    return Scene('scene', 0.0, (*objects, TABLE), 'by_hand', arm, held, hand=PANDA.hand)


SCENES: dict[str, Scene] = {
    'tabletop': scene(
        cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06),
        thing('green_cylinder', 0.40, -0.07, Shape.CYLINDER, (0.04, 0.04, 0.07)),
        thing('yellow_bar', 0.62, 0.10, size=(0.024, 0.11, 0.024), yaw=0.9), BOWL, BIN),
    'fruit': scene(
        ball('lemon', 0.44, 0.10, 'yellow'),
        thing('banana', 0.56, -0.10, size=(0.03, 0.12, 0.03), colour='yellow', yaw=0.6),
        ball('tomato', 0.42, -0.16, 'red', 0.055), ball('lime', 0.60, 0.12, 'green', 0.045),
        BOWL),
    'tower': scene(
        cube('red_cube', 0.45, 0.0), cube('blue_cube', 0.45, 0.0, on=0.04),
        cube('green_cube', 0.45, 0.0, on=0.08), cube('yellow_cube', 0.55, -0.15), BOWL),
    'bowl_full': scene(
        cube('red_cube', 0.48, 0.30, on=0.006), cube('blue_cube', 0.53, 0.31, on=0.006),
        cube('green_cube', 0.45, 0.0), BOWL, BIN),
    'twins': scene(
        cube('red_cube', 0.45, 0.15, BIG), cube('red_cube_2', 0.50, 0.02, SMALL),
        cube('blue_cube', 0.55, -0.08, BIG), cube('blue_cube_2', 0.42, -0.20, SMALL), BOWL),
    'plates': scene(
        cube('red_cube', 0.38, 0.10), cube('blue_cube', 0.38, 0.0),
        cube('green_cube', 0.38, -0.10),
        plate('white_plate', 0.58, 0.20), plate('blue_plate', 0.58, 0.02),
        plate('black_plate', 0.58, -0.16)),
    'held': scene(
        cube('red_cube', 0.40, 0.0, on=0.3), cube('blue_cube', 0.50, -0.05), BOWL, BIN,
        held='red_cube'),
    'many': scene(
        cube('red_cube', 0.40, 0.10), cube('blue_cube', 0.50, 0.10),
        cube('green_cube', 0.60, 0.10),
        cube('yellow_cube', 0.40, 0.0), cube('white_cube', 0.50, 0.0),
        ball('red_ball', 0.60, 0.0), ball('green_ball', 0.42, -0.10),
        ball('blue_ball', 0.55, -0.10), BOWL, BIN),
    'boxed_in': scene(
        cube('red_cube', 0.50, 0.0), cube('blue_cube', 0.552, 0.0),
        cube('green_cube', 0.50, 0.052), cube('yellow_cube', 0.448, 0.0),
        cube('purple_cube', 0.50, -0.052)),
    'one_cube': scene(cube('red_cube', 0.50, 0.10)),
    'kitchen': scene(
        thing('mug', 0.55, 0.28, size=(0.11, 0.08, 0.09), colour='white', yaw=0.8),
        long_thing('banana', 0.42, 0.02, (0.17, 0.06, 0.035), 'yellow', 0.4),
        long_thing('hammer', 0.63, -0.02, (0.25, 0.10, 0.03), 'brown', 1.2),
        long_thing('spatula', 0.36, -0.22, (0.27, 0.07, 0.02), 'black', -0.3),
        long_thing('spanner', 0.37, 0.25, (0.16, 0.04, 0.015), 'blue', -0.9),
        thing('toy_dog', 0.55, -0.19, size=(0.09, 0.05, 0.08), colour='orange', yaw=2.0),
        thing('bin', 0.50, -0.40, Shape.BIN, (0.22, 0.18, 0.08), colour='grey')),
    'toys': scene(
        thing('big_red_cube', 0.42, 0.14, size=(0.055, 0.055, 0.055), colour='red'),
        thing('small_red_cube', 0.56, 0.06, size=(SMALL, SMALL, SMALL), colour='red'),
        cube('blue_cube', 0.44, -0.02), ball('green_ball', 0.64, -0.06, side=0.045),
        ball('yellow_ball', 0.38, -0.16, side=0.04), ball('purple_ball', 0.62, 0.16),
        thing('orange_bar', 0.53, -0.14, size=(0.024, 0.10, 0.024)),
        thing('white_bowl', 0.50, 0.34, Shape.BOWL, (0.16, 0.16, 0.055)),
        thing('black_bowl', 0.36, -0.38, Shape.BOWL, (0.14, 0.14, 0.05)),
        thing('bin', 0.56, -0.34, Shape.BIN, (0.20, 0.16, 0.07), colour='grey')),
    'loaded': scene(
        thing('red_ball', 0.475, 0.30, Shape.SPHERE, (CUBE, CUBE, CUBE), on=0.006),
        thing('blue_ball', 0.525, 0.30, Shape.SPHERE, (CUBE, CUBE, CUBE), on=0.006),
        cube('orange_cube', 0.48, -0.30, SMALL, on=0.006),
        cube('red_cube', 0.56, 0.0, BIG), cube('yellow_cube', 0.56, 0.0, on=0.05),
        cube('green_cube', 0.56, 0.0, SMALL, on=0.09),
        thing('black_can', 0.40, 0.08, Shape.CYLINDER, (0.05, 0.05, 0.08)), BOWL, BIN),
    'coloured_plates': scene(
        plate('red_plate', 0.40, 0.28), plate('blue_plate', 0.56, 0.28),
        plate('green_plate', 0.48, -0.30), cube('red_cube', 0.46, -0.10),
        cube('blue_cube', 0.60, -0.05), cube('green_cube', 0.38, 0.05),
        ball('white_ball', 0.50, 0.08, side=0.045)),
    'desk': scene(
        *(long_thing(f'{colour}_marker', x, y, (0.02, 0.12, 0.02), colour, yaw)
          for colour, x, y, yaw in (('red', 0.42, 0.14, 0.2), ('blue', 0.50, 0.10, -0.3),
                                    ('black', 0.62, 0.08, 0.9))),
        thing('eraser', 0.40, -0.02, size=(0.05, 0.03, 0.02), colour='white', yaw=0.4),
        long_thing('stapler', 0.56, -0.06, (0.04, 0.13, 0.045), 'grey', 1.2),
        thing('glue_stick', 0.42, -0.14, Shape.CYLINDER, (0.03, 0.03, 0.09), colour='yellow'),
        thing('big_battery', 0.66, -0.12, Shape.CYLINDER, (0.034, 0.034, 0.06), colour='green'),
        thing('small_battery', 0.54, -0.18, Shape.CYLINDER, (0.022, 0.022, 0.045),
              colour='orange'),
        thing('tray', 0.46, 0.36, Shape.BIN, (0.22, 0.18, 0.05), colour='blue'),
        thing('key', 0.46, 0.36, size=(0.02, 0.06, 0.015), on=0.006, colour='yellow'),
        thing('wastebasket', 0.46, -0.38, Shape.BIN, (0.20, 0.18, 0.08), colour='black')),
    'breakfast': scene(
        thing('blue_bowl', 0.44, 0.34, Shape.BOWL, (0.16, 0.16, 0.055)),
        thing('white_egg', 0.415, 0.34, Shape.SPHERE, (0.042, 0.042, 0.042), on=0.006),
        thing('brown_egg', 0.465, 0.34, Shape.SPHERE, (0.042, 0.042, 0.042), on=0.006),
        thing('red_bowl', 0.62, 0.24, Shape.BOWL, (0.16, 0.16, 0.055)),
        thing('basket', 0.50, -0.38, Shape.BIN, (0.22, 0.18, 0.07), colour='brown'),
        thing('apple', 0.50, -0.38, Shape.SPHERE, (0.055, 0.055, 0.055), on=0.006, colour='red'),
        ball('pear', 0.38, -0.02, 'green'),
        thing('tall_cup', 0.46, 0.12, Shape.CYLINDER, (0.05, 0.05, 0.10), colour='white'),
        thing('short_cup', 0.56, 0.02, Shape.CYLINDER, (0.05, 0.05, 0.06), colour='yellow'),
        thing('plate', 0.44, -0.18, size=(0.14, 0.14, 0.012), colour='white'),
        thing('biscuit', 0.44, -0.18, size=(0.04, 0.04, 0.02), on=0.012, colour='yellow')),
    'blocks': scene(
        cube('red_cube', 0.44, 0.12, BIG), cube('white_cube', 0.44, 0.12, 0.045, on=0.05),
        cube('blue_cube', 0.44, 0.12, on=0.095), cube('green_cube', 0.58, -0.06, BIG),
        cube('yellow_cube', 0.58, -0.06, on=0.05),
        thing('small_purple_cube', 0.42, -0.04, size=(SMALL, SMALL, SMALL), colour='purple'),
        thing('big_purple_cube', 0.40, -0.16, size=(0.055, 0.055, 0.055), colour='purple'),
        ball('red_ball', 0.62, 0.10, side=0.045),
        thing('blue_ball', 0.52, -0.38, Shape.SPHERE, (0.045, 0.045, 0.045), on=0.006),
        thing('crate', 0.52, -0.38, Shape.BIN, (0.22, 0.18, 0.08), colour='brown'),
        thing('bowl', 0.54, 0.32, Shape.BOWL, (0.16, 0.16, 0.055), colour='white')),
}
