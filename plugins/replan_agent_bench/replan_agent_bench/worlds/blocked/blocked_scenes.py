# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random scenes in which a step is blocked: by neighbours, by a load, at its place, for good."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision
from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec

from ..judges import All, Held, InBowl, Judge, PlacedAt, StackedOn
from ..mishaps import Mishap
from .meddling import Meddler

PICK = 'pick up the red cube'
HOLD_RED = (Goal(Predicate.HOLDING, 'red_cube'),)
COLOURS = ('blue', 'green', 'yellow', 'purple', 'orange', 'white', 'black', 'grey', 'pink',
           'brown', 'cyan')
STARTS_ABOVE_M = 0.0005
TOO_HEAVY = {'mass': 3.0, 'friction': 0.05}  # and too smooth to be lifted

Rng = np.random.Generator
Frame = tuple[float, float, float]  # x, y (m) and yaw (rad) of the middle of a scene


@dataclass(frozen=True)
class Blocked:
    """One random episode. Without a judge it cannot be done, and must be refused.

    The plan takes and puts down only what the `goals` say. `decides` is the decision that
    this scene is about: it must be made.
    """

    objects: tuple[ObjectSpec, ...]
    task: str = PICK
    judge: Judge | None = None
    goals: tuple[Goal, ...] = HOLD_RED
    decides: Decision | None = None
    mishap: Mishap | None = None
    meddler: Meddler | None = None


def box(name: str, at: Frame, size: float | tuple[float, float, float], on: float = 0.0,
        shape: Shape = Shape.BOX, **more: float | bool) -> ObjectSpec:
    """A box whose bottom is `on` (m) above the table. Its colour is the first word of its name."""
    size = size if isinstance(size, tuple) else (size, size, size)
    x, y, yaw = at
    z = on + size[2] / 2 + STARTS_ABOVE_M
    return ObjectSpec(name, shape, size, Colour.named(name.split('_')[0]), (x, y, z),
                      (0.0, 0.0, yaw), **more)  # type: ignore[arg-type]


def centre(rng: Rng, radius: tuple[float, float] = (0.42, 0.56)) -> Frame:
    r, a = rng.uniform(*radius), rng.uniform(-0.4, 0.4)
    return r * math.cos(a), r * math.sin(a), rng.uniform(-0.7, 0.7)


def beside(at: Frame, side: int, away: float) -> Frame:
    """The frame `away` (m) from another, at one of its four sides."""
    x, y, yaw = at
    turn = yaw + side * math.pi / 2
    return x + away * math.cos(turn), y + away * math.sin(turn), yaw


def side_of(rng: Rng) -> float:
    """The side of a cube (m)."""
    return float(rng.uniform(0.034, 0.044))


def _red(rng: Rng) -> tuple[Frame, float, ObjectSpec]:
    at, side = centre(rng), side_of(rng)
    return at, side, box('red_cube', at, side)


def _pick(*objects: ObjectSpec) -> Blocked:
    return Blocked(objects, judge=Held('red_cube'))


def around(*sides: int) -> Callable[[Rng], Blocked]:
    """Cubes flush with these sides, with no room for a finger."""
    def draw(rng: Rng) -> Blocked:
        at, side, red = _red(rng)
        return _pick(red, *(box(f'{COLOURS[k]}_cube', beside(at, k, side + rng.uniform(
            0.006, 0.014)), side) for k in sides))
    return draw


def _red_at(x: float, y: float) -> Goal:
    return Goal(Predicate.AT, 'red_cube', position=(x, y))


def uneven(rng: Rng) -> Blocked:
    """Boxes of all sizes at the four sides."""
    at, side, red = _red(rng)
    boxes = []
    for k in range(4):
        length, width, height = map(float, rng.uniform((0.03, 0.03, 0.03), (0.06, 0.06, 0.08)))
        x, y, yaw = beside(at, k, side / 2 + rng.uniform(0.002, 0.014) + length / 2)
        boxes.append(box(f'{COLOURS[k]}_box', (x, y, yaw + k * math.pi / 2),
                         (length, width, height)))
    return _pick(red, *boxes)


def under(count: int) -> Callable[[Rng], Blocked]:
    """A stack on the target."""
    def draw(rng: Rng) -> Blocked:
        at, side, red = _red(rng)
        stack, top = [red], side
        for k in range(count):
            x, y, yaw = at
            dx, dy = rng.uniform(-0.004, 0.004, 2)
            own = side_of(rng)
            stack.append(box(f'{COLOURS[k]}_cube', (x + dx, y + dy, yaw), own, on=top))
            top += own + STARTS_ABOVE_M
        return _pick(*stack)
    return draw


def plank(rng: Rng) -> Blocked:
    """A plank over the target and a second cube."""
    at, side, red = _red(rng)
    away = float(rng.uniform(0.09, 0.11))
    bar = (float(rng.uniform(0.025, 0.035)), away + side, 0.02)
    return _pick(red, box('blue_cube', beside(at, 1, away), side),
                 box('green_bar', beside(at, 1, away / 2), bar, on=side))


def wall_corner(free: int) -> Callable[[Rng], Blocked]:
    """In a corner of fixed walls, with cubes at the other two sides or none."""
    def draw(rng: Rng) -> Blocked:
        at, side, red = _red(rng)
        walls = []
        for k in (0, 1):
            x, y, yaw = beside(at, k, side / 2 + rng.uniform(0.004, 0.007) + 0.005)
            walls.append(box(f'grey_wall{k}', (x, y, yaw + k * math.pi / 2),
                             (0.01, 0.12, 0.10), shape=Shape.WALL, fixed=True))
        cubes = [box(f'{COLOURS[k]}_cube', beside(at, k, side + 0.012), side)
                 for k in (2, 3)[:free]]
        return Blocked((red, *walls, *cubes))
    return draw


def pit(rng: Rng) -> Blocked:
    """Fixed walls at three sides and one cube: to move it cannot help."""
    at, side, red = _red(rng)
    walls = []
    for k in (0, 1, 3):
        x, y, yaw = beside(at, k, side / 2 + rng.uniform(0.004, 0.007) + 0.005)
        walls.append(box(f'grey_wall{k}', (x, y, yaw + k * math.pi / 2), (0.01, side, 0.05),
                         shape=Shape.WALL, fixed=True))
    return Blocked((red, *walls, box('yellow_cube', beside(at, 2, side + 0.012), side)))


def behind_wall(rng: Rng) -> Blocked:
    """A wall between arm and target, and a neighbour on each side along the wall."""
    x, y, side = 0.55, float(rng.uniform(-0.1, 0.1)), side_of(rng)
    at, away, height = (x, y, 0.0), float(rng.uniform(0.05, 0.07)), float(rng.uniform(0.1, 0.14))
    return _pick(box('red_cube', at, side),
                 box('grey_wall', (x - away, y, 0.0), (0.01, 0.3, height),
                     shape=Shape.WALL, fixed=True),
                 *(box(f'{COLOURS[k]}_cube', beside(at, k, side + 0.012), side) for k in (1, 3)))


def bin_corner(count: int) -> Callable[[Rng], Blocked]:
    """In the corner of a bin, with cubes beside it. A finger fits nowhere: it must be refused."""
    def draw(rng: Rng) -> Blocked:
        side = 0.04
        x, y, yaw = 0.5, float(rng.uniform(-0.1, 0.1)), float(rng.uniform(-0.3, 0.3))
        length, width, height = 0.24, 0.20, 0.07
        c, s = math.cos(yaw), math.sin(yaw)
        u, v = (half / 2 - 0.005 - side / 2 - 0.004 for half in (length, width))
        shifts = [(0.0, 0.0), (-0.048, 0.0), (0.0, -0.048), (-0.048, -0.048)][:count + 1]
        names = ['red_cube', *(f'{colour}_cube' for colour in COLOURS)]
        cubes = [box(name, (x + c * (u + du) - s * (v + dv), y + s * (u + du) + c * (v + dv), yaw),
                     side, on=CONTAINER_FLOOR_M) for name, (du, dv) in zip(names, shifts)]
        container = ObjectSpec('bin', Shape.BIN, (length, width, height), Colour.named('grey'),
                               (x, y, None), (0.0, 0.0, yaw), mass=0.5)
        return Blocked((container, *cubes))
    return draw


def occupied(kind: str) -> Callable[[Rng], Blocked]:
    """What stands where the red cube should go: one, two, three, a tower, a wide box."""
    def draw(rng: Rng) -> Blocked:
        (x, y, yaw), side = centre(rng), side_of(rng)
        x, y = round(x, 3), round(y, 3)
        red = box('red_cube', (0.45, -0.3 if y > 0 else 0.3, 0.2), side)
        if kind == 'tower':
            there = [box('blue_cube', (x, y, yaw), side),
                     box('green_cube', (x, y, yaw), side, on=side + STARTS_ABOVE_M)]
        elif kind == 'wide':
            wide = float(rng.uniform(0.09, 0.11))
            there = [box('blue_box', (x, y, yaw), (wide, wide, 0.05), mass=0.3)]
        else:
            count, share = {'one': (1, 0.0), 'two': (2, 0.66), 'three': (3, 0.87)}[kind]
            away = share * side
            there = []
            for k in range(count):
                turn = yaw + math.tau * k / count
                there.append(box(f'{COLOURS[k]}_cube', (
                    x + away * math.cos(turn), y + away * math.sin(turn), turn), side))
        return Blocked((red, *there), f'place the red cube at ({x}, {y})',
                       PlacedAt('red_cube', (x, y)), (_red_at(x, y),))
    return draw


def grid(count: int, gaps: tuple[float, float] = (0.010, 0.014)) -> Callable[[Rng], Blocked]:
    """`count` x `count` cubes with the target in the middle: its neighbours are boxed in too."""
    def draw(rng: Rng) -> Blocked:
        x, y, yaw = centre(rng, (0.46, 0.52))
        side, gap, middle = 0.04, float(rng.uniform(*gaps)), count // 2
        c, s = math.cos(yaw), math.sin(yaw)
        cubes = [box('red_cube', (x, y, yaw), side)]
        for i in range(-middle, middle + 1):
            for j in range(-middle, middle + 1):
                if (i, j) != (0, 0):
                    u, v = i * (side + gap), j * (side + gap)
                    at = (x + c * u - s * v, y + s * u + c * v, yaw)
                    cubes.append(box(f'blue_cube_{i + middle}{j + middle}', at, side))
        return _pick(*cubes)
    return draw


def too_wide(count: int) -> Callable[[Rng], Blocked]:
    """Neighbours that are too wide for the gripper: they can only be pushed."""
    def draw(rng: Rng) -> Blocked:
        at, side, red = _red(rng)
        wide = float(rng.uniform(0.085, 0.095))
        away = side / 2 + 0.012 + wide / 2
        aside = wide - away + rng.uniform(0.008, 0.012)  # each one passes by the next
        return _pick(red, *(box(f'{COLOURS[k]}_box', beside(beside(at, k, away), k + 3, aside),
                                (wide, wide, 0.04), mass=0.15) for k in range(count)))
    return draw


def posts(count: int, away: tuple[float, float]) -> Callable[[Rng], Blocked]:
    """Tall posts: the fingers fit, the hand does not."""
    def draw(rng: Rng) -> Blocked:
        at, _, red = _red(rng)
        height, far = float(rng.uniform(0.13, 0.17)), float(rng.uniform(*away))
        return _pick(red, *(box(f'{COLOURS[k]}_post', beside(at, k, far), (0.03, 0.03, height),
                                mass=0.12) for k in range(count)))
    return draw


def loaded(count: int) -> Callable[[Rng], Blocked]:
    """Four close neighbours, of which some carry another cube."""
    def draw(rng: Rng) -> Blocked:
        at, side, red = _red(rng)
        objects = [red]
        for k in range(4):
            there = beside(at, k, side + 0.012)
            objects.append(box(f'{COLOURS[k]}_cube', there, side))
            if k < count:
                objects.append(box(f'{COLOURS[4 + k]}_top', there, side,
                                   on=side + STARTS_ABOVE_M))
        return _pick(*objects)
    return draw


def heavy(*sides: int) -> Callable[[Rng], Blocked]:
    """Four close neighbours, of which these cannot be lifted."""
    def draw(rng: Rng) -> Blocked:
        case = around(0, 1, 2, 3)(rng)
        red, *others = case.objects
        return replace(case, objects=(red, *(
            replace(o, **TOO_HEAVY) if k in sides else o  # type: ignore[arg-type]
            for k, o in enumerate(others))))
    return draw


def balls(rng: Rng) -> Blocked:
    """Four balls around the cube: they roll."""
    at, side, red = _red(rng)
    return _pick(red, *(box(f'{COLOURS[k]}_ball', beside(at, k, side / 2 + 0.008 + 0.025), 0.05,
                            shape=Shape.SPHERE) for k in range(4)))


def loaded_base(rng: Rng) -> Blocked:
    """The cube to stack on carries two others."""
    (x, y, yaw), side = centre(rng), side_of(rng)
    stack = [box(f'{COLOURS[k]}_cube', (x, y, yaw), side, on=k * (side + STARTS_ABOVE_M))
             for k in range(3)]
    return Blocked((box('red_cube', (0.45, -0.3 if y > 0 else 0.3, 0.0), side), *stack),
                   'stack the red cube on the blue cube', StackedOn('red_cube', 'blue_cube'),
                   (Goal(Predicate.STACKED, 'red_cube', 'blue_cube'),))


def both_in_bowl(rng: Rng) -> Blocked:
    """The boxed-in cube goes into the bowl, and then one of its neighbours."""
    x, y, yaw = centre(rng)
    at, side = (x, abs(y), yaw), 0.04
    bowl = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                      (0.45, -0.28, None), mass=0.3)
    cubes = [box(f'{COLOURS[k]}_cube', beside(at, k, side + 0.012), side) for k in range(4)]
    return Blocked((box('red_cube', at, side), *cubes, bowl),
                   'put the red cube in the bowl then put the blue cube in the bowl',
                   All((InBowl('red_cube', 'bowl'), InBowl('blue_cube', 'bowl'))),
                   tuple(Goal(Predicate.IN, name, 'bowl') for name in ('red_cube', 'blue_cube')))


def at_its_goal(rng: Rng) -> Blocked:
    """One of the neighbours stands where the task wants it."""
    at, side, red = _red(rng)
    k = int(rng.integers(4))
    cubes = [box(f'{COLOURS[n]}_cube', beside(at, n, side + 0.012), side) for n in range(4)]
    x, y = (round(v, 3) for v in cubes[k].position[:2] if v is not None)
    name = cubes[k].name
    return Blocked((red, *cubes), f'place the {COLOURS[k]} cube at ({x}, {y}) then pick up the '
                   'red cube', All((Held('red_cube'), PlacedAt(name, (x, y)))))


def later_place(rng: Rng) -> Blocked:
    """A boxed-in cube whose place is just where a neighbour would be put aside."""
    at, side, red = _red(rng)
    cubes = [box(f'{COLOURS[k]}_cube', beside(at, k, side + 0.012), side) for k in range(4)]
    turn, away = rng.uniform(-math.pi, math.pi), rng.uniform(0.13, 0.16)
    x, y = round(at[0] + away * math.cos(turn), 3), round(at[1] + away * math.sin(turn), 3)
    return Blocked((red, *cubes), f'place the red cube at ({x}, {y})',
                   PlacedAt('red_cube', (x, y)), (_red_at(x, y),))
