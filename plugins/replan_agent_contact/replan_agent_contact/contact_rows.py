# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random furniture for the suite `contact`: what is asked for, and how physics judges it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from replan_agent_bench.suite import DrawnRow

from replan_agent import Cause, Reason, SceneObject, SkillResult
from replan_agent.geometry.judging import is_inside

from .furnished_world import FurnishedWorld
from .joint import SLACK
from .opening import FORCE_N

Random = np.random.Generator
Values = dict[str, Any]
Judge = Callable[[FurnishedWorld], Iterator[str]]
ORDINALS = ('bottom', 'middle', 'top')
JUDGED_OPEN = 0.9  # of the way
COLOURS = ('red', 'green', 'blue')
PULLED = 0.6  # of the limit: with less nobody knows that it is locked


@dataclass(frozen=True)
class ContactCase:
    """A scene as a file has it, the task, and the judge: what is wrong in the end.

    With a `trouble` it cannot be done: right is a step whose result tells that.
    """

    values: Values
    task: str
    judge: Judge
    trouble: Callable[[SkillResult], bool] | None = None
    limit_n: float = FORCE_N
    least_n: float = PULLED * FORCE_N  # a trouble that is told with less was not felt
    seen: Callable[[SceneObject], SceneObject] = lambda thing: thing  # what perception makes of it
    start: Callable[[FurnishedWorld], None] = lambda world: None  # what else happens in it


def open_drawer(random: Random) -> ContactCase:
    values, name = cabinet(random)
    return ContactCase(values, f'open the {said(name)}', lambda world: is_open(world, name))


def close_drawer(random: Random) -> ContactCase:
    values, name = cabinet(random)
    part = part_of(values, name)
    part['open'] = round(float(random.uniform(0.5, 1.0)) * part['travel'], 3)
    return ContactCase(values, f'close the {said(name)}', lambda world: is_closed(world, name))


def fill_drawer(random: Random) -> ContactCase:
    values, name = cabinet(random, fewest=1, most=2)
    name = values['furniture'][0]['drawers'][-1]['name']
    values['objects'] = [cube(random)]

    def judge(world: FurnishedWorld) -> Iterator[str]:
        yield from is_closed(world, name)
        things = {o.name: o for o in world.true_objects()}
        if not is_inside(things['red_cube'], things[name]):
            yield f'red_cube is not in {name}'

    return ContactCase(values, f'put the red cube in the {said(name)}', judge)


def blocked_drawer(random: Random) -> ContactCase:
    """Something stands where the drawer goes."""
    values, name = cabinet(random, most=1)
    piece, part = values['furniture'][0], part_of(values, name)
    (x, y), yaw = piece['position'], piece['yaw']
    far = piece['size'][0] / 2 + part['travel'] * float(random.uniform(0.5, 0.9))
    aside = float(random.uniform(-0.3, 0.3)) * piece['size'][1]
    at = (x - far * math.cos(yaw) - aside * math.sin(yaw),
          y - far * math.sin(yaw) + aside * math.cos(yaw))
    values['objects'] = [{**cube(random), 'position': [round(v, 3) for v in at]}]
    return ContactCase(values, f'open the {said(name)}', lambda world: is_open(world, name))


def locked_drawer(random: Random) -> ContactCase:
    values, name = cabinet(random)
    part_of(values, name)['locked'] = True
    return ContactCase(values, f'open the {said(name)}', lambda world: is_open(world, name),
                       lambda result: result.proved_impossible)


def jammed_drawer(random: Random) -> ContactCase:
    """It sticks on its way."""
    values, name = cabinet(random)
    part = part_of(values, name)
    part['jams_at'] = round(float(random.uniform(0.2, 0.7)) * part['travel'], 3)
    return ContactCase(values, f'open the {said(name)}', lambda world: is_open(world, name),
                       is_jammed)


def open_door(random: Random) -> ContactCase:
    return ContactCase(cupboard(random), 'open the door', lambda world: is_open(world, 'door'))


def close_door(random: Random) -> ContactCase:
    values = cupboard(random)
    values['furniture'][0]['door']['open'] = round(float(random.uniform(0.4, 1.1)), 3)
    return ContactCase(values, 'close the door', lambda world: is_closed(world, 'door'))


def open_lid(random: Random) -> ContactCase:
    return ContactCase(chest(random), 'open the lid', lambda world: is_open(world, 'lid'))


def fill_chest(random: Random) -> ContactCase:
    values = {**chest(random), 'objects': [cube(random)]}

    def judge(world: FurnishedWorld) -> Iterator[str]:
        yield from is_closed(world, 'lid')
        things = {o.name: o for o in world.true_objects()}
        if not is_inside(things['red_cube'], things['chest']):
            yield 'red_cube is not in chest'

    return ContactCase(values, 'put the red cube in the chest', judge)


ROWS: tuple[DrawnRow[ContactCase], ...] = (
    DrawnRow('drawer', 'open a drawer', 'one to three in a cabinet', open_drawer, bar=0.95),
    DrawnRow('close', 'close a drawer', 'half to all the way open', close_drawer, bar=0.95),
    DrawnRow('door', 'open a door', 'hinge on the left or on the right', open_door, bar=0.95),
    DrawnRow('close_door', 'close a door', 'open a third or more', close_door, bar=0.95),
    DrawnRow('put_in', 'put a cube in a closed drawer', 'open, put in, close', fill_drawer,
             bar=0.95),
    DrawnRow('blocked', 'open a drawer that a cube blocks', 'the cube is taken away',
             blocked_drawer, bar=0.95),
    DrawnRow('locked', 'open a locked drawer', 'right is: told as locked', locked_drawer,
             bar=0.95),
    DrawnRow('jammed', 'open a drawer that sticks on its way', 'right is: told as jammed',
             jammed_drawer, bar=0.95),
    DrawnRow('lid', 'open a lid', 'of a box', open_lid, bar=0.95),
    DrawnRow('lid_put_in', 'put a cube in a box with a lid', 'open, put in, close', fill_chest,
             bar=0.95))


def is_jammed(result: SkillResult) -> bool:
    """Whether it tells that it moved and then stuck."""
    return result.reason is Reason.CONTROLLER_ABORTED and result.cause is Cause.HELD_UP


def is_open(world: FurnishedWorld, name: str) -> Iterator[str]:
    part = next(part for part in world.parts if part.name == name)
    if world.opened(name) < JUDGED_OPEN * part.travel:
        yield f'{name} is open by {world.opened(name):.3f} of {part.travel:.3f}'


def is_closed(world: FurnishedWorld, name: str) -> Iterator[str]:
    part = next(part for part in world.parts if part.name == name)
    if world.opened(name) > SLACK[part.kind]:
        yield f'{name} is open by {world.opened(name):.3f}'


def chest(random: Random) -> Values:
    size = [round(float(random.uniform(*limits)), 3)
            for limits in ((0.14, 0.20), (0.18, 0.28), (0.07, 0.12))]
    lid = {'name': 'lid', 'friction': round(float(random.uniform(0.5, 1.2)), 2)}
    bearing, far = random.uniform(-0.5, 0.5), random.uniform(0.50, 0.62)
    return {'objects': [], 'furniture': [
        {'name': 'chest', 'size': size, 'lid': lid, 'yaw': round(float(
            bearing + random.uniform(-0.2, 0.2)), 3), 'position': [
                round(float(far * np.cos(bearing)), 3), round(float(far * np.sin(bearing)), 3)]}]}


def cabinet(random: Random, fewest: int = 1, most: int = 3) -> tuple[Values, str]:
    """A cabinet that the arm faces, and the name of one of its drawers."""
    number = int(random.integers(fewest, most + 1))
    depth, width = random.uniform(0.20, 0.30), random.uniform(0.22, 0.36)
    height = number * random.uniform(0.09, 0.13) + 0.03
    names = ['drawer'] if number == 1 else [f'{which}_drawer' for which in (
        ORDINALS if number == 3 else ORDINALS[::2])]
    drawers = [{'name': name, 'travel': round(float(random.uniform(0.5, 0.7)) * depth, 3),
                'friction': round(float(random.uniform(0.5, 6.0)), 2)} for name in names]
    values = {'objects': [], 'furniture': [
        {'name': 'cabinet', 'size': [round(float(v), 3) for v in (depth, width, height)],
         'drawers': drawers, **facing(random, depth)}]}
    return values, names[int(random.integers(number))]


def cupboard(random: Random) -> Values:
    size = [round(float(random.uniform(*limits)), 3)
            for limits in ((0.15, 0.22), (0.22, 0.30), (0.24, 0.36))]
    door = {'name': 'door', 'hinge': str(random.choice(['left', 'right'])),
            'friction': round(float(random.uniform(0.05, 0.5)), 2)}
    return {'objects': [], 'furniture': [
        {'name': 'cupboard', 'size': size, 'door': door, **facing(random, size[0])}]}


def facing(random: Random, depth: float) -> Values:
    """A place in front of the arm; the front is turned to the arm, a little off at most."""
    bearing, far = random.uniform(-0.5, 0.5), random.uniform(0.58, 0.70) + depth / 2
    return {'position': [round(float(far * np.cos(bearing)), 3),
                         round(float(far * np.sin(bearing)), 3)],
            'yaw': round(float(bearing + random.uniform(-0.2, 0.2)), 3)}


def cube(random: Random) -> Values:
    side = float(random.choice([-1.0, 1.0]))
    bearing = side * random.uniform(1.0, 1.4)
    far = random.uniform(0.40, 0.55)
    return {'name': 'red_cube', 'shape': 'box', 'size': 0.04, 'colour': 'red', 'mass': 0.08,
            'position': [round(float(far * math.cos(bearing)), 3),
                         round(float(far * math.sin(bearing)), 3)],
            'yaw': round(float(random.uniform(-1, 1)), 2)}


def part_of(values: Values, name: str) -> Values:
    drawers: list[Values] = values['furniture'][0]['drawers']
    return next(part for part in drawers if part['name'] == name)


def said(name: str) -> str:
    return name.replace('_', ' ')
