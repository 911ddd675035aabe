# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One belief of what the hand holds: encoders, the last verified grasp, what is seen."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.domain.hand import HandBelief, have_let_go, may_hold
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape

CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.19)))


def arm(x: float, width: float = 0.04, yaw: float = 0.0) -> ArmSnapshot:
    tcp = Pose.from_rpy(x, 0.0, 0.2, roll=math.pi, yaw=yaw)
    return ArmSnapshot((0.0,) * 7, tcp, width, at_home=False)


SEEN = Scene('one', 1.0, (CUBE,), 'camera', arm(0.5), 'cube')
HIDDEN = Scene('two', 2.0, (), 'camera', arm(0.6, 0.039, yaw=math.pi / 2))


@pytest.mark.parametrize(('grasp', 'now', 'gone'), [
    (0.040, 0.0385, False), (0.040, 0.035, True), (0.040, 0.045, True),
    (0.0035, 0.0034, False), (0.0035, 0.0, True), (0.0055, 0.0025, True)])
def test_pads_say_when_they_have_let_go(grasp, now, gone):
    assert have_let_go(grasp, now) is gone
    assert (HandBelief('cube', grasp).felt(now).held is None) is gone


@pytest.mark.parametrize(('width', 'may'), [(0.0, False), (0.03, True), (0.079, False)])
def test_closed_and_open_pads_hold_nothing(width, may):
    assert may_hold(width, 0.08) is may


def test_what_the_pads_still_feel_moves_with_the_hand_where_no_look_shows_it():
    now = HandBelief.of(SEEN).felt(0.039).told_in(HIDDEN)
    assert now.held == 'cube' and now.in_hand is not None
    assert now.in_hand.position == pytest.approx((0.6, 0.0, 0.19))
    assert now.in_hand.pose.yaw == pytest.approx(math.pi / 2) and now.in_hand.seen_at == 2.0


@pytest.mark.parametrize('fresh', [
    replace(HIDDEN, objects=(CUBE,)), replace(HIDDEN, objects=(CUBE,), held='ball')])
def test_a_fresh_picture_that_shows_the_object_is_right(fresh):
    assert HandBelief.of(SEEN).told_in(fresh) is fresh


def test_a_picture_from_before_the_release_does_not_fill_the_hand():
    assert HandBelief(None, since=1.5).told_in(SEEN).held is None
    assert HandBelief(None, since=0.5).told_in(replace(SEEN, stale=True)).held is None
    assert HandBelief().told_in(SEEN).held == 'cube'
