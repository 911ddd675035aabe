# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""look with a camera in the hand: several postures, a look from each."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.known_arms import ARMS
from replan_agent.domain.plan import Step
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.look_around import GAPS
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.motion_protocols import MotionOutcome

from .fakes import Bench, scene

LOOK, POSTURES = Step(1, 'look'), PANDA.look_postures


class Looks(Bench):
    def __init__(self) -> None:
        super().__init__()
        self.executor = SkillExecutor(standard_skills(eye_in_hand=True), self.kit)
        self.seen_from: list[tuple[float, ...]] = []
        self._observe = self.kit.perception.observe
        self.kit.perception.observe = self.observe

    def observe(self, ctx):
        self.seen_from.append(tuple(self.robot.joints))
        return self._observe(ctx)


def test_it_looks_from_every_posture_and_ends_at_home():
    bench = Looks()
    result = bench.do(LOOK, scene())
    assert result.success and not result.evidence['left_out']
    assert GAPS not in result.reason_detail
    assert bench.seen_from == [*(joints for _, joints in POSTURES), tuple(bench.robot.home)]


def test_with_something_in_the_hand_nothing_moves():
    bench = Looks()
    held = scene(held=scene().objects[0].name)
    result = bench.do(LOOK, held)
    assert result.success and 'execute' not in bench.robot.log and len(bench.seen_from) == 1
    assert held.held in result.evidence['left_out']


def test_a_posture_that_cannot_be_reached_is_left_out_and_named():
    bench = Looks()
    plan = bench.motion.to_joints

    def blocked(start, goal, request, ctx):
        if np.allclose(goal, POSTURES[1][1]):
            return MotionOutcome(None, Reason.PATH_BLOCKED, 'a wall is in the way')
        return plan(start, goal, request, ctx)

    bench.motion.to_joints = blocked
    result = bench.do(LOOK, scene())
    assert result.success and len(bench.seen_from) == len(POSTURES)
    assert result.evidence['left_out'] == 'front: a wall is in the way'
    assert f'{GAPS}: front: a wall is in the way' in result.reason_detail


def test_a_motion_that_fails_ends_the_look():
    bench = Looks()
    bench.robot.execute_answer = CommandResult(False, Reason.STOPPED, 'the stop button')
    result = bench.do(LOOK, scene())
    assert result.reason is Reason.STOPPED and not bench.seen_from


@pytest.mark.parametrize('arm', ARMS.values(), ids=ARMS)
def test_every_arm_reaches_its_postures_well_inside_its_limits(arm):
    for _, joints in arm.look_postures:
        assert np.all(np.array(joints) > arm.limits.lower + 0.1)
        assert np.all(np.array(joints) < arm.limits.upper - 0.1)
