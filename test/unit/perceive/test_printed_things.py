"""A box with print on it is one thing, and things of two colours stay two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.scene import Shape

from .synthetic import RGB, box, perception, picture


def seen(frame):
    return [thing for thing in perception(frame).observe(Context()).objects
            if thing.shape is not Shape.TABLE]


def printed(thing, colours):
    """A picture of the thing with bands of these colours on its sides, the lower half of it."""
    plain = picture(thing)
    on_thing = np.any(plain.rgb != RGB['wood'], axis=2)
    rows = np.flatnonzero(on_thing.any(axis=1))
    rgb = plain.rgb.copy()
    bands = np.array_split(rows[len(rows) // 2:], len(colours))
    for band, colour in zip(bands, colours):
        there = np.zeros_like(on_thing)
        there[band] = on_thing[band]
        rgb[there] = RGB[colour]
    return replace(plain, rgb=rgb)


@pytest.mark.parametrize('yaw', [0.2, 0.9, 1.4])
@pytest.mark.parametrize('colours', [['yellow'], ['orange', 'yellow'], ['white', 'blue']])
def test_a_printed_box_is_one_thing_of_its_whole_size(yaw, colours):
    true = box(0.5, 0.05, (0.10, 0.03, 0.15), yaw)
    (found,) = seen(printed(true, colours))
    assert np.allclose(sorted(found.size), sorted(true.size), atol=0.006)
    assert np.allclose(found.position, true.position, atol=0.006)


def test_a_cube_on_a_cube_of_another_colour_is_two_things():
    found = seen(picture(box(0.5, 0.0, yaw=0.3),
                         box(0.5, 0.0, yaw=0.3, colour='green', bottom=0.04)))
    assert sorted(thing.colour for thing in found) == ['green', 'red']
