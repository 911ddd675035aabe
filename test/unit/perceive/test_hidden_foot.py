# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tall thing close behind a lower one stands on the table, although its foot is hidden."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.scene import Shape
from replan_agent.perceive.camera.one_look import look
from replan_agent.perceive.camera.standing import on_their_feet
from replan_agent.perceive.camera.view import View

from .synthetic import box, picture
from .test_colour_depth import seen

YAW = math.atan2(-0.55, -0.9)  # away from the camera
FRONT = box(0.5, 0.0, (0.06, 0.06, 0.08), yaw=YAW, colour='blue')


def behind(gap_m, height=0.16, bottom=0.0):
    away = 0.06 + gap_m
    return box(0.5 + away * math.cos(YAW), away * math.sin(YAW), (0.06, 0.06, height), yaw=YAW,
               bottom=bottom)


@pytest.mark.parametrize('gap_m', [0.002, 0.006, 0.010, 0.014])
def test_a_tall_box_close_behind_a_lower_one_does_not_float(gap_m):
    (red,) = (o for o in seen(FRONT, behind(gap_m)).movable() if o.colour == 'red')
    assert red.bottom_z == pytest.approx(0.0, abs=0.003)
    assert red.top_z == pytest.approx(0.16, abs=0.003) and red.confidence < 0.75


def test_a_plank_on_two_posts_stays_above_the_table():
    posts = [box(0.5, y, (0.04, 0.04, 0.08), colour='blue') for y in (-0.08, 0.08)]
    red = seen(*posts, box(0.5, 0.0, (0.04, 0.2, 0.03), bottom=0.08)).get('red_bar')
    assert red.bottom_z == pytest.approx(0.08, abs=0.004)


@pytest.mark.parametrize(('hand_z', 'bottom_z'), [(0.14, 0.078), (0.5, 0.0)])
def test_what_hangs_in_the_hand_behind_another_thing_stays_in_the_air(hand_z, bottom_z):
    links = PANDA, np.array(HOME)
    hangs = behind(0.006, 0.082, bottom=0.078)
    shown = look(View(picture(FRONT, hangs)), *links, 0.06, 0.0)
    front, red = sorted(shown.fits, key=lambda fit: fit.thing.colour)
    fits = [front, replace(red, thing=hangs)]
    _, found = on_their_feet(shown.picture, fits, np.array((*hangs.position[:2], hand_z)))
    assert found.thing.bottom_z == pytest.approx(bottom_z, abs=0.001)


@pytest.mark.parametrize('yaw', [0.0, 0.2, 0.4, 0.6, 0.8])
def test_of_a_tower_the_lower_cubes_are_cubes_although_no_top_but_one_is_seen(yaw):
    tower = [box(0.5, 0.0, yaw=yaw, colour=colour, bottom=0.04 * i)
             for i, colour in enumerate(('red', 'blue', 'green'))]
    found = {o.name: o for o in seen(*tower).movable()}
    assert set(found) == {'red_cube', 'blue_cube', 'green_cube'}
    for true in tower:
        assert found[f'{true.colour}_cube'].pose.distance_to(true.pose) < 0.004


def test_what_is_below_a_wider_plate_is_not_in_a_bin():
    plate = box(0.5, 0.0, (0.05, 0.05, 0.008), colour='blue', bottom=0.04)
    found = {o.colour: o for o in seen(box(0.5, 0.0), plate).movable()}
    assert not found['blue'].is_container and found['blue'].shape is Shape.BOX
