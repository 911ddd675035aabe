# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Words: colours from pixels, names from colour, shape and place."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.domain.scene import Shape
from replan_agent.perceive.camera.naming import KnownName, colour_name, kind, named

from .synthetic import RGB, ball, box, cylinder


def lit(colour, *shades):
    return np.array([np.clip(np.array(RGB[colour]) * s, 0, 255) for s in shades], dtype=np.uint8)


@pytest.mark.parametrize('exposure', [0.8, 1.0, 1.2])
@pytest.mark.parametrize('colour', RGB)
def test_a_colour_has_its_name_in_light_and_shade(colour, exposure):
    pixels = lit(colour, *(exposure * s for s in (1.0, 1.0, 0.95, 0.6, 0.4)))
    assert colour_name(pixels) == colour


@pytest.mark.parametrize(('thing', 'word'), [
    (box(0, 0), 'cube'), (box(0, 0, (0.04, 0.049, 0.04)), 'cube'),
    (box(0, 0, (0.04, 0.06, 0.05)), 'box'), (box(0, 0, (0.024, 0.11, 0.024)), 'bar'),
    (cylinder(0, 0), 'cylinder'), (ball(0, 0), 'ball'),
    (box(0, 0, (0.2, 0.16, 0.07), shape=Shape.BIN), 'bin'),
])
def test_shapes_have_the_words_that_people_use(thing, word):
    assert kind(thing) == word


def test_things_alike_are_numbered_from_the_robots_left_to_its_right():
    things = [box(0.5, -0.2), box(0.4, 0.3), box(0.5, 0.1, colour='blue'), box(0.6, 0.0)]
    assert [t.name for t in named(things)] == [
        'red_cube_3', 'red_cube_1', 'blue_cube', 'red_cube_2']


def test_a_container_goes_by_its_kind_alone():
    bowl = box(0.5, 0, (0.16, 0.16, 0.055), colour='white', shape=Shape.BOWL)
    assert named([bowl])[0].name == 'bowl'


BOTTLE = KnownName.read('bottle red 0.06 0.16 0.06')


@pytest.mark.parametrize(('thing', 'name'), [
    (box(0.5, 0, (0.055, 0.062, 0.150)), 'bottle'),
    (box(0.5, 0, (0.16, 0.06, 0.06)), 'bottle'),  # it lies
    (box(0.5, 0, (0.055, 0.062, 0.150), colour='blue'), 'blue_bar'),
    (box(0.5, 0, (0.055, 0.062, 0.110)), 'red_box'),
])
def test_a_known_name_is_used_where_colour_and_size_fit(thing, name):
    assert named([thing], [BOTTLE])[0].name == name


def test_a_name_for_any_colour_fits_every_colour():
    known = KnownName.read('brick any 0.04 0.04 0.04')
    assert [t.name for t in named([box(0.5, 0), box(0.4, 0, colour='blue')], [known])] == [
        'brick_1', 'brick_2']


@pytest.mark.parametrize('text', ['', 'bottle', 'bottle green 0.1 0.1', 'bottle mauve 0.1 0.1 0.1',
                                  'two words green 0.1 0.1 0.1', 'bottle green 0.1 nan 0.1'])
def test_a_name_without_colour_and_three_sizes_is_refused(text):
    with pytest.raises(ConfigError, match='perception_names'):
        KnownName.read(text)
