"""Colour words from pixels, and object names from colour and shape."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from replan_agent.domain.scene import SceneObject, Shape

from .view import Array

# Upper ends of the hues (OpenCV: degrees / 2) for each word; red is at both ends.
HUES = ((6, 'red'), (18, 'orange'), (36, 'yellow'), (78, 'green'), (100, 'cyan'), (124, 'blue'),
        (156, 'purple'), (173, 'pink'), (180, 'red'))
UNCOLOURED = 'grey'  # stands for black, grey and white when pixels are classified
LEAST_SATURATION = 0.22 * 255
LEAST_VALUE = 30
BROWN_SATURATION = 0.74 * 255  # orange that is less vivid than this is brown,
WOOD_SATURATION = 0.48 * 255  # or wood if it is even paler
PINK_SATURATION = 0.62 * 255
WHITE_VALUE, BLACK_VALUE = 180, 60

CLASSES = (UNCOLOURED, *dict.fromkeys(word for _, word in HUES))
ENOUGH_PIXELS = 600  # for the colour of a thing
CUBE_SIDES_WITHIN = 1.25
BAR_LONGER_THAN = 2.0


def colour_classes(rgb: Array) -> Array:
    """The index in CLASSES of each pixel's colour, independent of brightness."""
    hues, saturations, values = cv2.split(
        cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2HSV))
    classes: Array = _HUE_TABLE.take(np.asarray(hues, np.uint8))
    classes[(saturations < math.ceil(LEAST_SATURATION)) | (values < LEAST_VALUE)] = 0
    return classes


def colour_of(rgb: Array, rows: Array, columns: Array) -> str:
    """The word for the colour of these pixels of a picture."""
    every = 1 + len(rows) // ENOUGH_PIXELS
    return colour_name(rgb[rows[::every], columns[::every]])


def colour_name(pixels: Array) -> str:
    """The word for the colour of pixels (n, 3 RGB), judged by the brighter ones."""
    hsv = cv2.cvtColor(np.ascontiguousarray(pixels)[None], cv2.COLOR_RGB2HSV)[0]
    values = np.sort(hsv[:, 2])
    lit = hsv[hsv[:, 2] >= _share(values, 0.5)]
    saturation, value = (_share(np.sort(lit[:, i]), 0.5) for i in (1, 2))
    if saturation < LEAST_SATURATION or value < LEAST_VALUE:
        brightest = _share(values, 0.85)  # shaded sides of a white object look grey
        return ('white' if brightest > WHITE_VALUE else
                'black' if brightest < BLACK_VALUE else 'grey')
    counts = np.bincount(_HUE_TABLE[lit[:, 0]], minlength=len(CLASSES))
    word = CLASSES[int(np.argmax(counts))]
    if word in ('orange', 'yellow') and saturation < WOOD_SATURATION:
        return 'wood'
    if word == 'orange' and saturation < BROWN_SATURATION:
        return 'brown'
    return 'pink' if word == 'red' and saturation < PINK_SATURATION else word


def _share(ordered: Array, share: float) -> float:
    """The value that this share of sorted values is below. As numpy's quantile, but fast."""
    place = share * (len(ordered) - 1)
    below = int(place)
    first, second = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    return first + (place - below) * (second - first)


def kind(thing: SceneObject) -> str:
    """The word for a shape: cube, bar, box, cylinder, ball, bowl, bin, wall, thing."""
    if thing.shape is not Shape.BOX:
        return {Shape.SPHERE: 'ball', Shape.IRREGULAR: 'thing'}.get(thing.shape, thing.shape.value)
    shortest, middle, longest = sorted(thing.size)
    if longest <= CUBE_SIDES_WITHIN * shortest:
        return 'cube'
    return 'bar' if longest >= BAR_LONGER_THAN * middle else 'box'


def base_name(thing: SceneObject) -> str:
    """The name without a number: red_cube. Containers are named by their kind alone."""
    if thing.is_container or not thing.colour:
        return kind(thing)
    return f'{thing.colour}_{kind(thing)}'


def named(things: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """The same objects with names. Similar ones are numbered from left to right of the robot."""
    names = [base_name(thing) for thing in things]
    alike = Counter(names)
    order = sorted(range(len(things)), key=lambda i: -things[i].position[1])
    seen: Counter[str] = Counter()
    final = list(names)
    for i in order:
        seen[names[i]] += 1
        if alike[names[i]] > 1:
            final[i] = f'{names[i]}_{seen[names[i]]}'
    return tuple(replace(thing, name=name) for thing, name in zip(things, final))


def _hue_table() -> Array:
    table = np.zeros(256, dtype=np.uint8)
    for hue in range(180):
        word = next(word for end, word in HUES if hue < end)
        table[hue] = CLASSES.index(word)
    return table


_HUE_TABLE = _hue_table()
