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
from replan_agent.geometry.relations import DIAL_TOLERANCE_DEG

from .controls import BUTTON_TRAVEL_M, CAP_M, FACES
from .furnished_world import FurnishedWorld
from .joint import SLACK
from .opening import FORCE_N
from .pressing import FORCE_N as PRESS_N

Random = np.random.Generator
Values = dict[str, Any]
Judge = Callable[[FurnishedWorld], Iterator[str]]
ORDINALS = ('bottom', 'middle', 'top')
JUDGED_OPEN = 0.9  # of the way
PULLED = 0.6  # of the limit: with less nobody knows that it is locked
TORQUE_LIMIT_NM = 1.2  # a hand that stops at TORQUE_NM presses a moment longer
COLOURS = ('red', 'green', 'blue')


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


def press_button(random: Random) -> ContactCase:
    values, name = panel(random)
    return ContactCase(values, f'press the {said(name)}', lambda world: is_pressed(world, name),
                       limit_n=PRESS_N)


def covered_button(random: Random) -> ContactCase:
    """A cube stands on the button."""
    values, name = panel(random, face='top')
    (piece,) = values['furniture']
    place = [one['name'] for one in piece['buttons']].index(name)
    (x, y), yaw, (_, width, height) = piece['position'], piece['yaw'], piece['size']
    aside = width * (0.5 - (place + 0.5) / len(piece['buttons']))
    at = [x - aside * math.sin(yaw), y + aside * math.cos(yaw),
          height + CAP_M + BUTTON_TRAVEL_M + 0.021]
    values['objects'] = [{**cube(random), 'position': [round(v, 3) for v in at], 'yaw': yaw}]
    return ContactCase(values, f'press the {said(name)}', lambda world: is_pressed(world, name),
                       limit_n=PRESS_N)


def stuck_button(random: Random) -> ContactCase:
    """It does not move, or sticks on its way."""
    values, name = panel(random)
    (one,) = (one for one in values['furniture'][0]['buttons'] if one['name'] == name)
    one.update({'locked': True} if random.random() < 0.5 else
               {'jams_at': round(float(random.uniform(0.35, 0.6)) * BUTTON_TRAVEL_M, 4)})
    return ContactCase(values, f'press the {said(name)}', lambda world: is_pressed(world, name),
                       lambda result: result.proved_impossible or is_jammed(result), PRESS_N,
                       PULLED * PRESS_N)


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


def turn_knob(random: Random) -> ContactCase:
    values, name = knobs(random)
    (one,) = (one for one in values['furniture'][0]['knobs'] if one['name'] == name)
    start, most = math.degrees(one['open']), math.degrees(one['travel'])
    wanted = round(float(random.choice([v for v in np.linspace(0, most, 25)
                                        if abs(v - start) > 15])))
    words = f'turn the {said(name)} to {wanted} degrees'
    if random.random() < 0.3:
        words = f'turn the {said(name)} by {round(wanted - start)} degrees'
    return ContactCase(values, words, lambda world: is_at(world, name, wanted),
                       limit_n=TORQUE_LIMIT_NM)


def stuck_knob(random: Random) -> ContactCase:
    """It does not turn, or sticks on its way."""
    values, name = knobs(random)
    (one,) = (one for one in values['furniture'][0]['knobs'] if one['name'] == name)
    one['open'] = 0.0
    one.update({'locked': True} if random.random() < 0.5 else
               {'jams_at': round(float(random.uniform(0.3, 0.6)) * one['travel'], 3)})
    return ContactCase(values, f'turn the {said(name)} to {math.degrees(one["travel"]):.0f} '
                       'degrees', lambda world: is_at(world, name, 0.0), lambda result: (
                           result.proved_impossible or is_jammed(result)), TORQUE_LIMIT_NM)


def slippery_knob(random: Random) -> ContactCase:
    """The fingers hold its sides badly: it turns, or that they slipped is told."""
    case = turn_knob(random)
    for one in case.values['furniture'][0]['knobs']:
        one.update(grip=round(float(random.uniform(0.05, 0.2)), 3),
                   friction=round(float(random.uniform(0.2, 0.4)), 2))
    return case


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
    DrawnRow('press', 'press a button', 'one to three on a panel, on its top or front',
             press_button, bar=0.95),
    DrawnRow('press_covered', 'press a button with a cube on it', 'the cube is taken away',
             covered_button, bar=0.95),
    DrawnRow('press_stuck', 'press a button that sticks', 'right is: told as stuck or jammed',
             stuck_button, bar=0.95),
    DrawnRow('turn', 'turn a knob to an angle, or by one', 'one to three on a panel', turn_knob,
             bar=0.95),
    DrawnRow('turn_stuck', 'turn a knob that sticks', 'right is: told as stuck or jammed',
             stuck_knob, bar=0.95),
    DrawnRow('turn_slippery', 'turn a slippery knob', 'stiff, with smooth sides', slippery_knob,
             bar=0.95),
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


def is_at(world: FurnishedWorld, name: str, degrees: float) -> Iterator[str]:
    """It is at this angle, and no other knob was turned."""
    now = math.degrees(world.opened(name))
    if abs(now - degrees) > DIAL_TOLERANCE_DEG:
        yield f'{name} is at {now:.0f} degrees, not at {degrees:.0f}'
    for other in (part for part in world.parts if part.name != name):
        if abs(world.opened(other.name) - other.given.open) > 0.1:
            yield f'{other.name} is turned too'


def is_pressed(world: FurnishedWorld, name: str) -> Iterator[str]:
    """Only what was meant is pressed."""
    yield from is_open(world, name)
    for other in (part for part in world.parts if part.name != name):
        if world.opened(other.name) > 0.5 * other.travel:
            yield f'{other.name} is pressed too'


def panel(random: Random, face: str = '') -> tuple[Values, str]:
    """A panel with buttons in reach, and the name of one of them."""
    number = int(random.integers(1, 4))
    face = face or str(random.choice(FACES))
    low, high = (0.05, 0.12) if face == 'top' else (0.16, 0.26)
    size = [round(float(random.uniform(*limits)), 3) for limits in (
        (0.10, 0.16), (0.08 * number + 0.02, 0.10 * number + 0.05), (low, high))]
    names = ['button'] if number == 1 else [f'{colour}_button' for colour in COLOURS[:number]]
    buttons = [{'name': name, 'face': face, 'colour': colour,
                'force': round(float(random.uniform(3.0, 12.0)), 1)}
               for name, colour in zip(names, COLOURS)]
    bearing, far = random.uniform(-0.6, 0.6), random.uniform(0.42, 0.60)
    place = {'position': [round(float(far * np.cos(bearing)), 3),
                          round(float(far * np.sin(bearing)), 3)],
             'yaw': round(float(bearing + random.uniform(-0.3, 0.3)), 3)}
    return {'objects': [], 'furniture': [{'name': 'panel', 'size': size, 'colour': 'grey',
                                          'buttons': buttons, **place}]}, str(random.choice(names))


def knobs(random: Random) -> tuple[Values, str]:
    """A panel with knobs in reach, and the name of one of them."""
    values, _ = panel(random)
    piece = values['furniture'][0]
    names = [one['name'].replace('button', 'knob') for one in piece['buttons']]
    piece['knobs'] = [{**one, 'name': name, 'travel': round(float(random.uniform(1.0, 4.5)), 3),
                       'friction': round(float(random.uniform(0.02, 0.3)), 3)}
                      for name, one in zip(names, piece.pop('buttons'))]
    if piece['knobs'][0]['face'] == 'front':  # a hand that points forward reaches less near
        piece['position'] = [round(1.2 * v, 3) for v in piece['position']]
    for one in piece['knobs']:
        del one['force']
        one['open'] = round(float(random.uniform(0.0, 1.0)) * one['travel'], 3)
    return values, str(random.choice(names))


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
