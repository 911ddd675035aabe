# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The encoders show where a motion really ended, and looks that contradict a step are repeated."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.cause import Cause
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import astray

from .fakes import Bench, lifted, scene, thing

END = np.array(franka.HOME)
START = END - np.array([0.3, 0, 0, 0, 0, 0, 0.8])


class Exact:
    def forward(self, joints) -> Pose:
        return Pose.from_matrix(FrankaKinematics().forward(joints))


def ended(joints):
    points, still = np.array([START, END]), np.zeros((2, 7))
    names = franka.limits('panda').names
    return astray(JointTrajectory(names, np.array([0.0, 1.0]), points, still, still),
                  np.asarray(joints), Exact())


def turned(joint, by):
    return END + by * np.eye(7)[joint]


@pytest.mark.parametrize(('joints', 'cause'), [
    (turned(0, 0.1), Cause.OFF_TARGET), (turned(6, 0.4), Cause.TURNED_WRONG),
    (turned(6, -0.8), Cause.NOT_TURNED)])
def test_an_arm_beside_the_end_of_its_motion_is_a_failure_with_its_cause(joints, cause):
    result = ended(joints)
    assert result.reason is Reason.CONTROLLER_ABORTED and result.cause is cause
    assert result.evidence['off_target_m'] > 0.01 or result.evidence['off_target_rad'] > 0.1


def test_an_arm_at_the_end_of_its_motion_is_none():
    assert ended(turned(0, 0.005)) is None


class Looks:
    """Shows one scene after the other; the last one stays."""

    name, uses_model = 'looks', False

    def __init__(self, *scenes):
        self.left = list(scenes)

    def observe(self, ctx):
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def picked(*looks):
    cube = thing()
    bench = Bench()
    seen = {'up': scene(lifted(cube), held='red_cube'), 'hidden': scene(held='red_cube'),
            'mixed up': scene(cube, held='blue_cube')}
    object.__setattr__(bench.kit, 'perception', Looks(*(seen[look] for look in looks)))
    return bench.do(Step(1, 'pick', {'object': 'red_cube'}), scene(cube))


def test_a_look_that_contradicts_a_step_is_repeated():
    assert picked('mixed up', 'up').success
    assert picked('hidden', 'hidden', 'up').success


def test_looks_that_agree_are_believed():
    assert picked('mixed up').reason is Reason.GRASP_SLIPPED
    assert picked('hidden').reason is Reason.VERIFICATION_FAILED
