# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A few scenes, made by hand: no simulator, no camera."""

from __future__ import annotations

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape

CUBE = 0.04


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
    'bowl_full': scene(
        cube('red_cube', 0.48, 0.30, on=0.006), cube('blue_cube', 0.53, 0.31, on=0.006),
        cube('green_cube', 0.45, 0.0), BOWL, BIN),
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
    'kitchen': scene(
        thing('mug', 0.55, 0.28, size=(0.11, 0.08, 0.09), colour='white', yaw=0.8),
        long_thing('banana', 0.42, 0.02, (0.17, 0.06, 0.035), 'yellow', 0.4),
        long_thing('hammer', 0.63, -0.02, (0.25, 0.10, 0.03), 'brown', 1.2),
        long_thing('spatula', 0.36, -0.22, (0.27, 0.07, 0.02), 'black', -0.3),
        long_thing('spanner', 0.37, 0.25, (0.16, 0.04, 0.015), 'blue', -0.9),
        thing('toy_dog', 0.55, -0.19, size=(0.09, 0.05, 0.08), colour='orange', yaw=2.0),
        thing('bin', 0.50, -0.40, Shape.BIN, (0.22, 0.18, 0.08), colour='grey')),
}
