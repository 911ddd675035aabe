# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ways to take hold of a handle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from replan_agent_contact.handle import holds
from replan_agent_contact.joint import Joint, JointKind

from replan_agent import Pose, SceneObject
from replan_agent.arms.franka import PANDA
from replan_agent.domain.scene import Shape

BAR = SceneObject('bar', Shape.CYLINDER, (0.012, 0.012, 0.1),
                  Pose.from_rpy(0.5, 0.0, 0.1, roll=math.pi / 2), movable=False)
LINE = Joint(JointKind.SLIDE, (-1.0, 0.0, 0.0), (0.6, 0.0, 0.1), 0.0, 0.15, 0.0)


@pytest.mark.parametrize(('by', 'side'), [(0.15, 1.0), (-0.15, -1.0)])
def test_a_finger_goes_behind_a_bar_to_pull_it_and_before_it_to_push_it(
        by: float, side: float) -> None:
    hooks = [tcp for tcp, opening in holds(BAR, LINE, PANDA.hand, by) if opening == 0.0]
    assert hooks
    for tcp in hooks:
        into, off = tcp.rotation[:, 2], np.subtract(tcp.position, BAR.position)
        beside = off - into * (into @ off)
        assert np.linalg.norm(beside) > 0.006 + PANDA.hand.half_finger_m
        assert math.copysign(1.0, beside[0]) == side  # the front is at a larger x
        assert into[2] < -0.5 and abs(tcp.rotation[1, 1]) == pytest.approx(1.0)


def test_a_grasp_comes_before_a_hook_and_closes_across_the_bar() -> None:
    found = list(holds(BAR, LINE, PANDA.hand, 0.15))
    openings = [opening for _, opening in found]
    assert openings == sorted(openings, reverse=True) and openings[0] > 0.012
    assert all(abs(tcp.rotation[1, 1]) < 1e-6 for tcp, opening in found if opening)
