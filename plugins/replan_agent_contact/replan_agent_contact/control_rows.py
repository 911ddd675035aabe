# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random buttons and knobs for the suite `contact`: what is asked for, how physics judges."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from replan_agent_bench.suite import DrawnRow

from replan_agent.geometry.relations import DIAL_TOLERANCE_DEG

from .contact_rows import (
    COLOURS,
    PULLED,
    ContactCase,
    Random,
    Values,
    cube,
    is_jammed,
    is_open,
    said,
)
from .controls import BUTTON_TRAVEL_M, CAP_M, FACES
from .furnished_world import FurnishedWorld
from .pressing import FORCE_N as PRESS_N
from .turning import TORQUE_NM

TORQUE_LIMIT_NM = 1.2  # a hand that stops at TORQUE_NM presses a moment longer


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
                           result.proved_impossible or is_jammed(result)), TORQUE_LIMIT_NM,
                       PULLED * TORQUE_NM)


def slippery_knob(random: Random) -> ContactCase:
    """The fingers hold its sides badly: it turns, or that they slipped is told."""
    case = turn_knob(random)
    for one in case.values['furniture'][0]['knobs']:
        one.update(grip=round(float(random.uniform(0.05, 0.2)), 3),
                   friction=round(float(random.uniform(0.2, 0.4)), 2))
    return case


CONTROL_ROWS: tuple[DrawnRow[ContactCase], ...] = (
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
             bar=0.95))


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
        piece['size'][2] = round(piece['size'][2] + 0.08, 3)  # and it is wide
    for one in piece['knobs']:
        del one['force']
        one['open'] = round(float(random.uniform(0.0, 1.0)) * one['travel'], 3)
    return values, str(random.choice(names))
