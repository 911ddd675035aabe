# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A joint tells where things go that move with it, and how far it moved."""

from __future__ import annotations

import math

import pytest
from replan_agent_contact.joint import Joint, JointKind

from replan_agent import Pose

SLIDE = Joint(JointKind.SLIDE, (-1.0, 0.0, 0.0), (0.7, 0.0, 0.1), 0.0, 0.2, 0.0)
HINGE = Joint(JointKind.HINGE, (0.0, 0.0, 1.0), (0.7, 0.2, 0.0), 0.0, 1.5, 0.0)
HANDLE = Pose.from_rpy(0.6, -0.1, 0.1, yaw=0.3)


def test_what_moves_with_a_slide_keeps_its_turn():
    moved = SLIDE.moved(HANDLE, 0.15)
    assert moved.position == pytest.approx((0.45, -0.1, 0.1))
    assert moved.angle_to(HANDLE) == pytest.approx(0.0, abs=1e-6)


def test_what_moves_with_a_hinge_turns_with_it_on_an_arc():
    moved = HINGE.moved(HANDLE, 0.5)
    assert moved.yaw == pytest.approx(0.8)
    assert math.dist(moved.position[:2], HINGE.point[:2]) == pytest.approx(
        math.dist(HANDLE.position[:2], HINGE.point[:2]))


def test_a_hand_on_a_bar_may_turn_by_a_share_of_the_hinge():
    whole, half = HINGE.moved(HANDLE, 0.5), HINGE.moved(HANDLE, 0.5, follows=0.5)
    assert half.position == pytest.approx(whole.position) and half.yaw == pytest.approx(0.55)


@pytest.mark.parametrize('joint', [SLIDE, HINGE], ids=['slide', 'hinge'])
@pytest.mark.parametrize('by', [0.1, -0.07])
def test_the_place_of_the_hand_tells_how_far_the_joint_moved(joint, by):
    assert joint.made(HANDLE, joint.moved(HANDLE, by)) == pytest.approx(by)


@pytest.mark.parametrize('joint', [SLIDE, HINGE], ids=['slide', 'hinge'])
def test_the_way_is_where_a_small_motion_leads(joint):
    moved = joint.moved(HANDLE, 1e-6)
    small = [(b - a) / 1e-6 for a, b in zip(HANDLE.position, moved.position)]
    assert joint.way(HANDLE) == pytest.approx(small, abs=1e-5)


def test_amounts_are_told_in_mm_or_degrees():
    assert (SLIDE.shown(0.1634), HINGE.shown(math.pi / 2)) == ('163 mm', '90 degrees')
    assert SLIDE.shown(-1e-5) == '0 mm'


def test_a_joint_is_read_as_it_was_written():
    assert Joint.from_dict(HINGE.as_dict()) == HINGE


@pytest.mark.parametrize('by', [0.4, -2.8])
def test_the_turn_of_a_hand_on_the_axis_tells_how_far_a_knob_turned(by):
    hand = Pose.from_rpy(0.7, 0.2, 0.3, roll=math.pi, yaw=0.2)
    now = HINGE.moved(hand, by)
    assert now.position == pytest.approx(hand.position) and HINGE.turns(hand)
    assert HINGE.made(hand, now) == pytest.approx(by)
    assert HINGE.twist(hand, by) == pytest.approx((0, 0, 0, 0, 0, math.copysign(1.0, by)))


def test_a_knob_is_at_an_angle_and_has_no_words():
    states = Joint(JointKind.HINGE, (0.0, 0.0, 1.0), (0.7, 0.2, 0.0), 0.0, 2.0, math.pi / 4,
                   ()).states(HANDLE, '', ())
    assert states.words == () and states.degrees == pytest.approx(45.0)
