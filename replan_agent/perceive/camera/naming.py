# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Colour words from pixels, and object names from colour and shape."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from replan_agent.domain.config import ConfigError
from replan_agent.domain.kinds import is_bar, is_cube
from replan_agent.domain.scene import COLOURS, SceneObject, Shape
from replan_agent.geometry.out_of_sight import same_colour

from .view import Array, View, share_of

# Upper ends of the hues (OpenCV: degrees / 2) for each word; red is at both ends.
HUES = ((6, 'red'), (18, 'orange'), (36, 'yellow'), (78, 'green'), (100, 'cyan'), (124, 'blue'),
        (156, 'purple'), (173, 'pink'), (180, 'red'))
UNCOLOURED = 'grey'  # stands for grey and white when pixels are classified
LEAST_SATURATION = 0.22 * 255
LEAST_VALUE = 30
BROWN_SATURATION = 0.74 * 255  # orange that is less vivid than this is brown,
WOOD_SATURATION = 0.48 * 255  # or wood if it is even paler
PINK_SATURATION = 0.62 * 255
WHITE_VALUE, BLACK_VALUE = 180, 60
DARK_VALUE = 48  # of a pixel: a grey thing is brighter on its dark sides, too

CLASSES = (UNCOLOURED, *dict.fromkeys(word for _, word in HUES), 'black')
_HUE_TABLE = np.array([CLASSES.index(next((word for end, word in HUES if hue < end), UNCOLOURED))
                       for hue in range(256)], dtype=np.uint8)
ENOUGH_PIXELS = 600  # for the colour of a thing
ANY = 'any'
OFF_M, OFF_SHARE = 0.012, 0.15  # how far a side may be from that of a known name


def colour_classes(rgb: Array) -> Array:
    """The index in CLASSES of the colour of each pixel (n, 3 RGB); brightness tells only black."""
    hues, saturations, values = _hsv(rgb)
    classes: Array = _HUE_TABLE.take(hues)
    coloured = (saturations >= math.ceil(LEAST_SATURATION)) & (values >= LEAST_VALUE)
    return np.where(coloured, classes, np.where(values < DARK_VALUE, len(CLASSES) - 1, 0))


def colour_of(view: View, flat: Array) -> str:
    """The word for the colour of these pixels `row * width + column` of a picture."""
    return colour_name(view.colours_of(flat[::1 + len(flat) // ENOUGH_PIXELS]))


def _hsv(rgb: Array) -> Sequence[Array]:
    """Hues, saturations and values (n,) of pixels (n, 3 RGB)."""
    hsv = cv2.cvtColor(np.ascontiguousarray(rgb)[None], cv2.COLOR_RGB2HSV)
    return [np.asarray(channel)[0] for channel in cv2.split(hsv)]


def colour_name(pixels: Array) -> str:
    """The word for the colour of pixels (n, 3 RGB), judged by the brighter ones."""
    hues, saturations, brightness = _hsv(pixels)
    values = np.sort(brightness)
    lit = (brightness >= share_of(values, 0.5)).nonzero()[0]
    saturation = share_of(np.sort(saturations[lit]), 0.5)
    value = share_of(values[-len(lit):], 0.5)
    if saturation < LEAST_SATURATION or value < LEAST_VALUE:
        brightest = share_of(values, 0.95)  # shaded sides of a white object look grey
        return ('white' if brightest > WHITE_VALUE else
                'black' if brightest < BLACK_VALUE else 'grey')
    word = CLASSES[np.bincount(_HUE_TABLE[hues[lit]]).argmax()]
    if word in ('orange', 'yellow') and saturation < WOOD_SATURATION:
        return 'wood'
    if word == 'orange' and saturation < BROWN_SATURATION:
        return 'brown'
    return 'pink' if word == 'red' and saturation < PINK_SATURATION else word


def kind(thing: SceneObject) -> str:
    """The word for a shape: cube, bar, box, cylinder, ball, bowl, bin, wall, thing."""
    if thing.shape is not Shape.BOX:
        return {Shape.SPHERE: 'ball', Shape.IRREGULAR: 'thing'}.get(thing.shape, thing.shape.value)
    return 'cube' if is_cube(thing) else 'bar' if is_bar(thing) else 'box'


@dataclass(frozen=True)
class KnownName:
    """A name for what has about this colour (a word, or `any`) and size (m, in any order)."""

    name: str
    colour: str
    size: tuple[float, ...]

    @staticmethod
    def read(text: str) -> KnownName:
        """From the settings: "bottle green 0.06 0.06 0.16". Raises ConfigError."""
        try:
            name, colour, *rest = text.split()
            size = tuple(sorted(float(number) for number in rest))
        except ValueError:
            name, colour, size = '', '', ()
        if not (name.isidentifier() and colour in (ANY, *COLOURS) and len(size) == 3
                and all(0 < side < 3 for side in size)):
            raise ConfigError(f'perception_names: {text!r} must be "name colour size_x size_y '
                              f'size_z", in metres; colours: {ANY}, {", ".join(COLOURS)}')
        return KnownName(name, colour, size)

    def fits(self, thing: SceneObject) -> bool:
        return (self.colour == ANY or same_colour(self.colour, thing.colour)) and all(
            abs(a - b) <= max(OFF_M, OFF_SHARE * a) for a, b in zip(self.size, sorted(thing.size)))


def base_name(thing: SceneObject, known: Sequence[KnownName] = ()) -> str:
    """The name without a number: one that is known, else red_cube; a container: its kind."""
    for other in known:
        if other.fits(thing):
            return other.name
    if thing.is_container or not thing.colour:
        return kind(thing)
    return f'{thing.colour}_{kind(thing)}'


def named(things: Sequence[SceneObject], known: Sequence[KnownName] = ()
          ) -> tuple[SceneObject, ...]:
    """The same objects with names. Similar ones are numbered from left to right of the robot."""
    names = [base_name(thing, known) for thing in things]
    alike = Counter(names)
    order = sorted(range(len(things)), key=lambda i: -things[i].position[1])
    seen: Counter[str] = Counter()
    final = list(names)
    for i in order:
        seen[names[i]] += 1
        if alike[names[i]] > 1:
            final[i] = f'{names[i]}_{seen[names[i]]}'
    return tuple(replace(thing, name=name) for thing, name in zip(things, final))
