# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the arm touched something, from torques and posture."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.plan import Step
from replan_agent.execute.executor import CAREFUL
from replan_agent.execute.felt import felt_at

from .fakes import Bench, scene, thing

HOME = np.array(PANDA.home)
WIDTH = 0.06


def torque(at, push):
    """What the joints feel of a push (N) at a point of the hand (base frame)."""
    jacobian, tcp = PANDA.kinematics.jacobian(HOME), PANDA.kinematics.forward(HOME)[:3, 3]
    return jacobian[:3].T @ push + jacobian[3:].T @ np.cross(at - tcp, push)


@pytest.mark.parametrize('side', [-1, 1])
def test_the_finger_that_met_something_below_it_is_found(side):
    tcp = PANDA.kinematics.forward(HOME)
    at = (tcp @ (0.0, side * 0.037, PANDA.hand.tip_beyond_tcp_m, 1.0))[:3]
    down = np.linalg.pinv(PANDA.kinematics.jacobian(HOME)) @ (0, 0, -0.01, 0, 0, 0)
    found = felt_at(PANDA, HOME, WIDTH, torque(at, np.array([0.0, 0.0, 20.0])), down)
    assert np.linalg.norm(np.subtract(found['felt_at'], at)) < 0.02
    assert found['pushed'][2] > 0.95 and found['felt_sure']


def test_a_place_that_others_far_away_explain_as_well_is_not_sure():
    kinematics, push = PANDA.kinematics, np.array([0.0, -20.0, 5.0])
    tcp = kinematics.forward(HOME)
    along = np.linalg.pinv(kinematics.jacobian(HOME)) @ (0, 0.01, -0.0025, 0, 0, 0)
    palm = (tcp @ (0.0, 0.05, -0.09, 1.0))[:3]
    found = felt_at(PANDA, HOME, WIDTH, torque(palm, push), along)
    assert not found['felt_sure']


def test_a_push_along_the_motion_is_no_contact_of_it():
    at = PANDA.kinematics.forward(HOME)[:3, 3]
    up = np.linalg.pinv(PANDA.kinematics.jacobian(HOME)) @ (0, 0, 0.01, 0, 0, 0)
    assert felt_at(PANDA, HOME, WIDTH, torque(at, np.array([0.0, 0.0, 20.0])), up) == {}


@pytest.mark.parametrize(('name', 'speed'), [('unseen_1', CAREFUL), ('box', 1.0)])
def test_the_arm_is_slow_where_something_was_felt(name, speed):
    bench = Bench()
    asked = []
    bench.motion.straight = lambda *args, _do=bench.motion.straight: asked.append(
        args[2].speed) or _do(*args)
    bench.do(Step(1, 'pick', {'object': 'red_cube'}),
             scene(thing(), thing(name, 0.3, 0.4, movable=False)))
    assert max(asked) == speed
