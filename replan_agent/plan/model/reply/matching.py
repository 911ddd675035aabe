# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names, flags, numbers and values in other forms: matched only if one thing can be meant."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from replan_agent.domain.scene import Scene
from replan_agent.text.loose_json import loose_json

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


def object_name(text: str, scene: Scene) -> str | None:
    """The one object that a text names, though in other words; None if it may be several."""
    if text in scene.names():
        return text
    words = re.sub(r'^\W*(?:the|a|an)\s+', '', text.strip(), flags=re.IGNORECASE)
    return only_match(words, scene.names())


def named_object(value: Any, scene: Scene) -> Any:
    inner = value
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    if isinstance(inner, dict) and isinstance(inner.get('name'), str):
        inner = inner['name']
    found = object_name(inner, scene) if isinstance(inner, str) else None
    return value if found is None or found == value else found


def only_match(text: str, choices: Sequence[str], begins: bool = False) -> str | None:
    """The only choice with the same letters and digits; None if there is none, or several.

    `begins`: 'backwards' is 'back' too, if no other choice begins so.
    """
    if text in choices:
        return text
    wanted = letters(text)
    same = [choice for choice in choices if wanted and letters(choice) == wanted]
    if not same and begins:
        same = [choice for choice in choices if choice and wanted.startswith(letters(choice))]
    return same[0] if len(same) == 1 else None


def letters(text: str) -> str:
    return re.sub(r'[\W_]+', '', text).lower()


def flag(text: str) -> Any:
    return {'true': True, 'yes': True, 'false': False, 'no': False}.get(text.strip().lower(), text)


def parsed(value: Any) -> Any:
    """The value in a JSON text; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return loose_json(value)
    except ValueError:
        return value


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
