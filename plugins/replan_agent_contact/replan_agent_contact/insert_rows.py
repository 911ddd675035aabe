# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random pegs and boards for the suite `contact`, and holes that are not quite where they seem."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from replan_agent_bench.suite import DrawnRow

from replan_agent import Cause, SceneObject, SkillResult
from replan_agent.geometry.support import up_alignment

from .contact_rows import COLOURS, PULLED, ContactCase, Random, Values, cube, is_jammed, said
from .furnished_world import FurnishedWorld
from .inserting import FORCE_N
from .ring import depth_m, opening_m

OFF_M = 0.004  # a hole is seen so far from where it is, at most
JUDGED_DEEP = 0.9  # of its depth


def insert_peg(random: Random) -> ContactCase:
    values, name = board(random)
    return _case(random, values, name)


def too_thick_peg(random: Random) -> ContactCase:
    """The peg is thicker than the hole is wide."""
    values, name = board(random, play=(-0.003, -0.0005))
    return replace(_case(random, values, name), trouble=_too_thick, least_n=0.0)


def covered_hole(random: Random) -> ContactCase:
    """A cube lies on the hole."""
    values, name = board(random, most=1)
    (piece,) = values['furniture']
    at = [*piece['position'], piece['size'][2] + 0.0215]
    values['objects'].append({**cube(random), 'position': at, 'yaw': piece['yaw']})
    return _case(random, values, name, up_m=0.0)


def plugged_hole(random: Random) -> ContactCase:
    """Something that nobody sees is in the hole."""
    values, name = board(random, most=1)
    (piece,) = values['furniture']
    (hole,) = piece['holes']
    high = round(float(random.uniform(0.4, 0.75)) * hole['depth'], 4)
    floor_z = piece['size'][2] - hole['depth']
    values['objects'].append({
        'name': 'plug', 'shape': 'box', 'size': [0.012, 0.012, high], 'fixed': True,
        'unseen': True, 'colour': 'grey', 'yaw': piece['yaw'],
        'position': [*piece['position'], floor_z + high / 2 + 0.0005]})
    return replace(_case(random, values, name, up_m=0.0), trouble=is_jammed,
                   least_n=PULLED * FORCE_N)


INSERT_ROWS: tuple[DrawnRow[ContactCase], ...] = (
    DrawnRow('insert', 'put a peg in a hole', 'the hole is seen up to 4 mm off', insert_peg,
             bar=0.95),
    DrawnRow('insert_too_thick', 'put a peg in a hole that is too small',
             'right is: told before anything touches', too_thick_peg, bar=0.95),
    DrawnRow('insert_covered', 'put a peg in a hole with a cube on it',
             'the cube is taken away', covered_hole, bar=0.95),
    DrawnRow('insert_plugged', 'put a peg in a hole that is not as deep as it seems',
             'right is: told as jammed', plugged_hole, bar=0.95))


def _case(random: Random, values: Values, name: str, up_m: float = 0.001) -> ContactCase:
    far, way = random.uniform(0.0, OFF_M), random.uniform(-math.pi, math.pi)
    x, y, z = far * math.cos(way), far * math.sin(way), random.uniform(-up_m, up_m)
    ours = {'board', *(hole['name'] for hole in values['furniture'][0]['holes'])}

    def seen(thing: SceneObject) -> SceneObject:
        return replace(thing, pose=thing.pose.moved(x, y, z)) if thing.name in ours else thing

    return ContactCase(values, f'put the peg in the {said(name)}',
                       lambda world: is_inserted(world, name), limit_n=FORCE_N, seen=seen)


def _too_thick(result: SkillResult) -> bool:
    return result.proved_impossible and result.cause is Cause.DOES_NOT_FIT


def is_inserted(world: FurnishedWorld, name: str) -> Iterator[str]:
    """Upright, deep enough, and between the walls; the hand has let go."""
    things = {o.name: o for o in world.true_objects()}
    peg, hole = things['peg'], things[name]
    deep, aside = hole.top_z - peg.bottom_z, math.dist(peg.position[:2], hole.position[:2])
    if deep < JUDGED_DEEP * depth_m(hole) or aside > opening_m(hole) / 2 or (
            abs(up_alignment(peg)) < 0.98):
        yield f'peg is {deep * 1000:.1f} mm deep in {name} and {aside * 1000:.1f} mm off'
    if world.gripper_width < min(peg.size):
        yield 'the fingers still hold the peg'


def board(random: Random, play: tuple[float, float] = (0.0008, 0.002), most: int = 3
          ) -> tuple[Values, str]:
    """A board with holes in reach, a peg for one of them, and its name."""
    number = int(random.integers(1, most + 1))
    place, round_one = int(random.integers(number)), bool(random.random() < 0.5)
    thick = [round(float(random.uniform(0.015, 0.03)), 4) for _ in range(number)]
    depth = round(float(random.uniform(0.022, 0.032)), 4)
    names = ['hole'] if number == 1 else [f'{colour}_hole' for colour in COLOURS[:number]]
    holes = [{'name': name, 'colour': colour, 'depth': depth,
              'size': round(wide + float(random.uniform(*play)), 5)}
             for name, colour, wide in zip(names, COLOURS, thick)]
    size = [round(float(random.uniform(*limits)), 3) for limits in (
        (0.07, 0.12), (0.07 * number, 0.08 * number + 0.03), (0.05, 0.06))]
    bearing, far = random.uniform(-0.5, 0.5), random.uniform(0.42, 0.58)
    piece = {'name': 'board', 'size': size, 'colour': 'wood', 'holes': holes,
             'position': [round(float(far * math.cos(bearing)), 3),
                          round(float(far * math.sin(bearing)), 3)],
             'yaw': round(float(bearing + random.uniform(-0.4, 0.4)), 3)}
    long = round(float(random.uniform(0.09, 0.12)), 3)
    peg = {**cube(random), 'name': 'peg', 'mass': 0.06, 'colour': 'yellow',
           **({'shape': 'cylinder', 'size': [thick[place], long]} if round_one else
              {'shape': 'box', 'size': [thick[place], thick[place], long]})}
    return {'objects': [peg], 'furniture': [piece]}, names[place]
