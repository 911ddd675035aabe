"""Things that no single shape explains: one thing, made of pieces of its own cloud."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.domain.scene import SceneObject, Shape

from .synthetic import box
from .test_colour_depth import seen

LONG = box(0.50, 0.00, (0.12, 0.03, 0.04))
SHORT = box(0.545, 0.045, (0.03, 0.06, 0.04))


def is_inside(thing: SceneObject, x: float, y: float, z: float) -> bool:
    T = thing.pose.matrix()
    local = T[:3, :3].T @ (np.array([x, y, z]) - T[:3, 3])
    return any(np.all(piece.planes[:, :3] @ local + piece.planes[:, 3] <= 0)
               for piece in thing.pieces)


def test_an_l_of_one_colour_is_one_thing():
    scene = seen(LONG, SHORT)
    assert scene.names() == ('table', 'red_thing')
    assert scene.get('red_thing').shape is Shape.IRREGULAR


def test_its_pieces_fill_its_arms_and_leave_the_corner_between_them_free():
    thing = seen(LONG, SHORT).get('red_thing')
    assert len(thing.pieces) >= 2
    assert is_inside(thing, 0.47, 0.0, 0.02) and is_inside(thing, 0.545, 0.05, 0.02)
    assert not is_inside(thing, 0.47, 0.05, 0.02)


def test_its_size_and_place_are_those_of_what_is_seen():
    thing = seen(LONG, SHORT).get('red_thing')
    assert abs(thing.bottom_z) < 0.003 and abs(thing.top_z - 0.04) < 0.003
    assert sorted(thing.size) == pytest.approx((0.04, 0.09, 0.12), abs=0.008)


def test_two_colours_that_touch_are_two_things():
    other = box(0.545, 0.045, (0.03, 0.06, 0.04), colour='blue')
    assert len(seen(LONG, other).names()) == 3
