# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every stepped arm does, on an arm that is always exactly where it was told to be."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.stepped_robot import CHECK_S, TRACKING_TOLERANCE, SteppedRobot

LIMITS = franka.limits('panda')
HOME = np.array(franka.HOME)
GOAL = HOME + 0.5


class ExactArm(SteppedRobot):
    """An edge: no physics. It is where the last command was, unless it is `stuck`."""

    home = HOME
    max_gripper_width = 0.08

    def __init__(self, step_s, token=None, cancel_at=np.inf, stuck=False):
        super().__init__(LIMITS, None, 'base', step_s, step_s)
        self.token, self.cancel_at, self.stuck = token, cancel_at, stuck
        self.now, self.q, self.qd, self.felt = 0.0, HOME, np.zeros(7), np.zeros(7)
        self.calls = []  # when each command to follow began, and how fast the arm went at its end

    def _time(self):
        return self.now

    def _joints(self):
        return self.q

    def _speeds(self):
        return self.qd

    def _felt(self):
        return self.felt if self.now > 0.2 else np.zeros(7)

    def _follow(self, samples, watch=None):
        self.calls.append(self.now)
        for q, qd, _ in zip(*samples):
            self.now += self._step
            if not self.stuck:
                self.q, self.qd = q, qd
            self.wanted, self.last_speeds = q, qd
            if self.now >= self.cancel_at:
                self.token.cancel('enough')
        return ''

    def _aim(self, joints):
        self.aimed = joints

    def _rest(self):
        self.now, self.qd = self.now + self._step, np.zeros(7)


def motion():
    return time_joint_move(HOME, GOAL, LIMITS, 0.5, 0.5)


@pytest.mark.parametrize('step_s', [0.002, 0.01, 0.05])
def test_a_cancelled_motion_brakes_within_the_check_interval_whatever_the_step(step_s):
    token, cancel_at = CancelToken(), 0.5 * motion().duration
    arm = ExactArm(step_s, token, cancel_at)
    with pytest.raises(Cancelled):
        arm.execute(motion(), Context(cancel=token))
    assert arm.calls[-1] - cancel_at <= max(CHECK_S, step_s) + 1e-9  # then the brake began
    assert 0.01 < np.abs(GOAL - arm.q).min() and np.abs(arm.q - HOME).min() > 0.05


@pytest.mark.parametrize('step_s', [0.002, 0.01])
def test_an_arm_that_is_held_up_is_noticed_within_the_check_interval(step_s):
    arm = ExactArm(step_s, stuck=True)
    assert arm.execute(motion(), Context()).cause is Cause.HELD_UP
    fastest = np.abs(motion().velocities).max()
    assert np.abs(arm.wanted - HOME).max() <= TRACKING_TOLERANCE + fastest * (CHECK_S + step_s)


class BlindArm(ExactArm):
    """Its last encoder gives no number from `blind_at` on."""

    blind_at = 0.0

    def _joints(self):
        return np.array([*self.q[:6], np.nan]) if self.now >= self.blind_at else self.q


def test_an_arm_that_does_not_know_where_it_is_is_not_moved():
    arm = BlindArm(0.01)
    assert arm.execute(motion(), Context()).cause is Cause.TRAJECTORY_REFUSED
    assert not arm.calls


def test_an_encoder_that_fails_ends_the_motion_and_is_not_followed():
    arm = BlindArm(0.01)
    arm.blind_at = 0.3
    ended = arm.execute(motion(), Context())
    assert ended.cause is Cause.CONTROLLER_ERROR
    assert 'the angle of panda_joint7 is no finite number' in ended.detail
    assert arm.calls[-1] <= 0.3 + CHECK_S  # then the brake began
    assert np.abs(arm.last_speeds).max() < 1e-6 and np.array_equal(arm.aimed, arm.wanted)
    assert np.abs(GOAL - arm.wanted).min() > 0.01


def test_an_encoder_that_fails_at_the_end_of_a_motion_leaves_the_arm_at_its_goal():
    arm = BlindArm(0.01)
    arm.blind_at = motion().duration - 0.005
    assert arm.execute(motion(), Context()).cause is Cause.CONTROLLER_ERROR
    assert np.allclose(arm.aimed, GOAL, atol=1e-6)


def test_an_encoder_that_fails_while_the_arm_settles_is_no_obstacle():
    arm = BlindArm(0.01)
    arm.blind_at = motion().duration + 0.005
    ended = arm.execute(motion(), Context())
    assert ended.cause is Cause.CONTROLLER_ERROR and not ended.short_of_goal
    assert 'the angle of panda_joint7 is no finite number' in ended.detail


@pytest.mark.parametrize('expected', [False, True])
def test_a_torque_that_is_no_number_ends_a_motion_that_watches_it(expected):
    arm = ExactArm(0.01)
    arm.felt = np.array([0.0, np.nan, 0.0, 0.0, 0.0, 0.0, 0.0])
    ended = arm.execute(motion(), Context(), ContactGuard(expected=expected))
    assert not ended.success and 'torque of panda_joint2' in ended.detail
    assert ended.cause is Cause.CONTROLLER_ERROR
    assert arm.calls[-1] <= 0.2 + CHECK_S
