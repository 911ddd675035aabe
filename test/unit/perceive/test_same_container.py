# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A container keeps its name, kind and shape while what is in it or in front of it changes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.scene import Shape
from replan_agent.perceive.looks.tracks import matched

from .synthetic import box, perception, picture
from .test_things_in_a_bin import BIN, FLOOR_M, X, Y


def moved(things, dx):
    return [replace(o, pose=o.pose.moved(dx)) for o in things]


@pytest.mark.parametrize('contents', [
    [box(X, Y, (0.10, 0.08, 0.09), colour='grey', bottom=FLOOR_M)],
    [box(X + 0.06, Y, (0.12, 0.18, 0.10), colour='grey', bottom=FLOOR_M)],
    [box(X - 0.05, Y, (0.04, 0.04, 0.10), colour='red', bottom=FLOOR_M),
     box(X + 0.05, Y, (0.14, 0.2, 0.09), colour='blue', bottom=FLOOR_M)],
    [box(X + 0.17, Y + 0.02, (0.03, 0.2, 0.16), colour='blue')],
], ids=['of its colour', 'large, of its colour', 'two', 'something in front'])
@pytest.mark.parametrize('pushed_m', [0.0, 0.014])
def test_a_known_bin_stays_that_bin(contents, pushed_m):
    looks = perception(picture(*BIN), picture(*moved(BIN, pushed_m), *contents))
    before = looks.observe(Context()).get('bin')
    now = looks.observe(Context()).get('bin')
    assert before is not None and now is not None and now.shape is Shape.BIN
    assert now.pose.distance_to(before.pose) < 0.03
    assert now.size == pytest.approx(before.size, abs=0.03)


def test_a_thing_where_the_bin_was_is_not_the_bin():
    looks = perception(picture(*BIN), picture(box(X, Y, (0.10, 0.08, 0.06), colour='grey')))
    assert looks.observe(Context()).get('bin') is not None
    (now,) = looks.observe(Context()).movable()
    assert not now.is_container


@pytest.mark.parametrize('off_m, is_same', [(0.05, True), (0.2, False)])
def test_a_bowl_that_the_hand_hid_in_part_is_the_same_where_it_was_let_go(off_m, is_same):
    bowl = box(X, Y, (0.16, 0.16, 0.055), colour='white', shape=Shape.BOWL)
    in_hand = replace(bowl, pose=bowl.pose.moved(off_m, 0.0, 0.04), shape=Shape.IRREGULAR,
                      size=(0.12, 0.12, 0.12), pieces=(box_piece((0.12, 0.12, 0.12)),))
    let_go = SimpleNamespace(thing=bowl, points=np.array([bowl.position]), top=bowl.top_z,
                             confidence=0.6, looks=1)
    assert bool(matched([in_hand], [let_go])) == is_same


def test_a_bar_that_is_nearly_a_box_keeps_its_name_when_it_is_put_elsewhere():
    looks = perception(picture(box(0.5, 0.1, (0.122, 0.06, 0.03))),
                       picture(box(0.45, -0.2, (0.118, 0.06, 0.03))))
    (before,), (now,) = (looks.observe(Context()).movable() for _ in range(2))
    assert now.name == before.name
