# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Failures with their evidence, built in a line each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from replan_agent.arms.franka import PANDA
from replan_agent.domain.failure import Attempt
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, find_spec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.replan.diagnose.diagnosis import diagnose

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                    movable=False)


def cube(x: float = 0.5, y: float = 0.0, name: str = 'red_cube', side: float = 0.04,
         colour: str = 'red') -> SceneObject:
    return SceneObject(name, Shape.BOX, (side,) * 3, Pose((x, y, side / 2)), colour)


def scene(*objects: SceneObject, held: str | None = None) -> Scene:
    return Scene('s', 0.0, (TABLE, *(objects or (cube(),))), 'fake', held=held, hand=PANDA.hand)


def attempt(reason: str, skill: str = 'pick', **more: Any) -> Attempt:
    args = more.pop('args', {'object': 'red_cube'})
    return Attempt(0, skill, args, reason, more.pop('detail', 'because'), **more)


def case(reason: str, before: Scene | None = None, after: Scene | None = None,
         earlier: tuple[Attempt, ...] = (), **more: Any) -> FailureCase:
    """A failed step; it is diagnosed as the loop does it."""
    skill, ik = more.pop('spec', None), more.get('ik')
    before = before or (scene(replace(cube(), pose=Pose(ik.target.position)))
                        if ik and ik.out_of_reach_m is not None else scene())
    made = attempt(reason, **more)
    skill = skill or find_spec(standard_skills().specs(), made.skill)
    failed = FailureCase(made, before, Step(1, made.skill, made.args), after, earlier,
                         skill)
    return replace(failed, attempt=replace(made, diagnosis=diagnose(failed)))


def slip(earlier: tuple[Attempt, ...] = (), **args: Any) -> FailureCase:
    """The cube was held after closing, and gone after the lift."""
    return case('grasp_slipped', after=scene(), earlier=earlier,
                args={'object': 'red_cube', **args}, failed_stage=FailedStage.POSTCONDITION,
                evidence={'closed_width': 0.0398, 'gripper_width': 0.0})


def far_report(x: float = 1.2, z: float = 0.02, too_far: float | None = 0.397) -> IKReport:
    return IKReport(False, 400, 0.4, 0.0, 0.001, 0.01, Pose((x, 0.0, z)), 'base', (0.0,) * 7,
                    reachability=Reachability.PROVED_UNREACHABLE, out_of_reach_m=too_far,
                    proof='too far')
