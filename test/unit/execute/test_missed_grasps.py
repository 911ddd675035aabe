# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""After a miss the next grasp is a different one, not the same a little beside."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.execute.contract import MissedGrasps
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.motion_protocols import Grasp, GraspKind

from .fakes import Bench, scene

SIZE = (0.16, 0.03, 0.03)
STICK = SceneObject('stick', Shape.IRREGULAR, SIZE, Pose((0.5, 0.0, 0.015)),
                    pieces=(box_piece(SIZE),))


def grasp(x: float = 0.5, yaw: float = 0.0, tilt: float = 0.0) -> Grasp:
    tcp = Pose.from_rpy(x, 0.0, 0.015, roll=math.pi + tilt, yaw=yaw)
    return Grasp(GraspKind.TOP_DOWN, 0, tcp, 0.06, 0.03, 0.0, '')


@pytest.mark.parametrize(('again', 'alike'), [
    (grasp(), True), (grasp(x=0.505), True), (grasp(yaw=math.radians(10)), True),
    (grasp(yaw=math.pi), True),  # the two fingers exchanged
    (grasp(x=0.55), False), (grasp(yaw=math.radians(60)), False),
    (grasp(tilt=math.radians(50)), False)])
def test_a_grasp_is_like_a_missed_one_at_the_same_place_in_the_same_way(again, alike):
    missed = MissedGrasps()
    missed.note(STICK, grasp(), scene(STICK))
    assert missed.is_like_one(STICK, again, scene(STICK)) is alike


def test_a_miss_counts_until_the_thing_moves_or_is_picked():
    missed = MissedGrasps()
    missed.note(STICK, grasp(), scene(STICK))
    moved = replace(STICK, pose=STICK.pose.moved(dx=0.02))
    assert not missed.is_like_one(moved, grasp(), scene(moved))
    missed.forget(STICK)
    assert not missed.is_like_one(STICK, grasp(), scene(STICK))


def test_a_miss_counts_until_something_beside_the_thing_is_moved_away():
    missed, beside = MissedGrasps(), replace(STICK, name='beside', pose=STICK.pose.moved(dy=0.06))
    far = replace(beside, name='far', pose=STICK.pose.moved(dy=0.3))
    missed.note(STICK, grasp(), scene(STICK, beside, far))
    assert missed.is_like_one(STICK, grasp(), scene(STICK, beside))
    assert not missed.is_like_one(STICK, grasp(), scene(STICK, far))


class Noted(MissedGrasps):
    """Shows what was noted."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[Grasp] = []

    def note(self, thing: SceneObject, grasp: Grasp, scene: Scene) -> None:
        super().note(thing, grasp, scene)
        self.noted.append(grasp)


@pytest.mark.parametrize(('width', 'reason'), [(0.0, Reason.GRASP_MISSED),
                                               (0.03, Reason.GRASP_SLIPPED)])
def test_after_each_miss_or_slip_pick_takes_another_grasp_of_an_irregular_thing(width, reason):
    bench, missed = Bench(after=scene(STICK)), Noted()
    bench.robot.grip_width = width
    kit = replace(bench.kit, grasps=AnyGrasps(PANDA.hand), missed=missed)
    executor = SkillExecutor(standard_skills(), kit)
    for count in range(1, 4):
        result = executor.execute(Step(1, 'pick', {'object': 'stick'}), scene(STICK), Context(),
                                  bench.phases.append)
        assert result.reason is reason and len(missed.noted) == count
        before = MissedGrasps()
        for earlier in missed.noted[:-1]:
            before.note(STICK, earlier, scene(STICK))
        assert not before.is_like_one(STICK, missed.noted[-1], scene(STICK))
