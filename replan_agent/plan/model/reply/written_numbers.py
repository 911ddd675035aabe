# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers that a model wrote as a text, with or without a unit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_NUMBER = re.compile(r'\s*(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*'
                     r'(?P<unit>[a-zA-Z°%]*)\.?\s*')
_LENGTH = {'m': 1.0, 'meter': 1.0, 'meters': 1.0, 'metre': 1.0, 'metres': 1.0, 'cm': 0.01,
           'mm': 0.001}
_ANGLE = {'deg': 1.0, 'degree': 1.0, 'degrees': 1.0, '°': 1.0,
          'rad': math.degrees(1), 'radian': math.degrees(1), 'radians': math.degrees(1)}
_UNITS: Mapping[str, Mapping[str, float]] = {
    **dict.fromkeys(('x', 'y', 'z', 'distance'), _LENGTH),
    **dict.fromkeys(('yaw', 'turn'), _ANGLE),
    'force': {'n': 1.0, 'newton': 1.0, 'newtons': 1.0}, 'speed': {'%': 0.01}}


def read_number(text: str, role: str = '') -> float | None:
    """The number in the unit of its role (m, degrees, N, share); None if that is not certain.

    A unit that does not fit the role is no number: "90 deg" is not a distance.
    """
    match = _NUMBER.fullmatch(text.replace('\u2212', '-'))  # the minus sign of books
    if match is None:
        return None
    unit = match['unit'].lower()
    factor = 1.0 if not unit else _UNITS.get(role, {}).get(unit)
    if factor is None:
        return None
    number = float(match['number']) * factor
    return round(number, 9) if math.isfinite(number) else None
