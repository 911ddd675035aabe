# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What counts as a contact, from what the joints feel before and during a motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.trajectory import JointLimits
from replan_agent.robot.contact import ContactWatch

ARM = JointLimits(('shoulder', 'elbow'), *[np.ones(2)] * 6)


def contact(before, now, threshold=4.0, expected=False, arm=ARM):
    watch = ContactWatch(ContactGuard(threshold, expected), np.array(before), arm)
    return watch.contact(np.array(now))


@pytest.mark.parametrize(('before', 'now', 'felt'), [
    ((0.0, 0.0), (3.9, -3.9), ''),
    ((0.0, 0.0), (1.0, -6.0), 'unexpected contact: elbow feels 6.0 N·m (threshold 4)'),
    ((6.0, 0.0), (6.5, 0.0), ''),  # the weight that is carried
    ((6.0, 0.0), (0.0, 0.0), ''),  # it was put down
    ((-6.0, 0.0), (5.0, 0.0), 'unexpected contact: shoulder feels 5.0 N·m (threshold 4)'),
])
def test_a_contact_is_unexpected_where_torque_and_change_are_large(before, now, felt):
    assert contact(before, now) == felt


def test_a_change_alone_is_an_expected_contact():
    assert contact((6.0, 0.0), (1.0, 0.0), expected=True) == (
        'contact: shoulder feels 5.0 N·m (threshold 4)')
    assert contact((6.0, 0.0), (3.0, 0.0), expected=True) == ''


@pytest.mark.parametrize('now', [(np.nan, 0.0), (0.0, np.nan)])
def test_a_torque_that_is_no_number_stops_a_motion_and_is_never_the_expected_contact(now):
    assert contact((0.0, 0.0), now) == 'the torque of a joint is no number'
    assert contact((0.0, 0.0), now, expected=True) == ''


def test_an_arm_with_weak_motors_feels_a_smaller_torque_as_a_contact():
    weak = replace(ARM, guard_scale=0.25)
    assert contact((0.0, 0.0), (1.5, 0.0)) == ''
    assert contact((0.0, 0.0), (1.5, 0.0), arm=weak) == (
        'unexpected contact: shoulder feels 1.5 N·m (threshold 1)')


@pytest.mark.parametrize(('now', 'felt'), [
    ((2.0, 1.0), ''),
    ((3.0, 1.0), 'contact: 25 N against the motion (at most 20 N)'),
    ((-3.0, 1.0), ''),  # it helps
    ((-5.0, 0.0), 'unexpected contact: shoulder feels 5.0 N·m (threshold 4)'),
])
def test_a_force_along_the_motion_is_a_contact_of_its_own(now, felt):
    guard = ContactGuard(4.0, weights=(10.0, -5.0), force_n=20.0)
    watch = ContactWatch(guard, np.zeros(2), ARM)
    assert watch.contact(np.array(now)) == felt
    assert watch.felt.tolist() == (list(now) if felt else [0.0, 0.0])
