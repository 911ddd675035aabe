# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm without formulas: what its branches do not find is not called impossible."""

from __future__ import annotations

import numpy as np
from linkage_arm import linkage_arm

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.domain.hand_shape import polynomial
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.ik import ExactIK


class Searched(AnalyticIK):
    tries = 24


def test_a_pose_out_of_reach_of_an_arm_without_a_proof_is_not_found_and_not_proved():
    arm = linkage_arm()
    object.__setattr__(arm, 'branches', Searched(arm.limits))
    ik = ExactIK(arm)
    report = ik.solve(Pose((2.0, 0.0, 0.5), (0.0, 1.0, 0.0, 0.0)), np.array(arm.home)).report
    assert report.reachability is Reachability.UNDECIDED and report.out_of_reach_m is None
    assert report.sentence.endswith('not found in 24 tries') and 'proved' not in report.sentence


def test_a_width_is_what_the_command_for_it_says():
    for arm in (PANDA, linkage_arm()):
        hand = arm.gripper
        for width in (0.0, 0.013, 0.05, 0.08):
            told = hand.commanded(width)
            assert abs(hand.width([told] * len(hand.reads)) - width) < 1e-6
    assert PANDA.gripper.frames(0.06)['leftfinger'][1, 3] == 0.03


def test_a_hand_whose_pads_are_behind_the_tool_at_a_width_goes_as_much_lower():
    arm, cube = linkage_arm(), SceneObject('cube', Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.02)))
    scene = Scene('s', 0.0, (cube,), 'test')
    straight, linked = (next(AnyGrasps(hand).candidates(cube, scene)).tcp.position
                        for hand in (PANDA.hand, arm.hand))
    drop_m = polynomial(arm.hand.drop, 0.04)
    assert drop_m < -0.002 and abs(linked[2] - straight[2] - drop_m) < 1e-9
