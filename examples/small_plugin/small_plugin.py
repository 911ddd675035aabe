# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skill and a planner in a package of their own; pyproject.toml says how they are found."""

from __future__ import annotations

import numpy as np

from replan_agent import (
    Arm,
    Call,
    Context,
    MotionRequest,
    PlannerParts,
    PlanRequest,
    Skill,
    SkillResult,
    SkillSpec,
    Step,
    succeeded,
)


class Nod(Skill):
    """nod(times): bend the wrist and come back."""

    spec = SkillSpec(
        name='nod', description='Nod with the hand.', example='nod(times=2)',
        arguments={'type': 'object', 'additionalProperties': False, 'properties': {
            'times': {'type': 'integer', 'minimum': 1, 'maximum': 5}}})

    def run(self, call: Call) -> SkillResult:
        arm, home = Arm(call, MotionRequest(call.scene)), call.kit.robot.home
        bent = home + np.array([0, 0, 0, 0, 0, 0.3, 0])  # rad
        phases = [('down', lambda: arm.to_joints(bent)), ('up', lambda: arm.to_joints(home))]
        return call.in_phases(phases * call.args.get('times', 1))

    def verify(self, call: Call) -> SkillResult:
        return succeeded()


class Nodder:
    """Answers every task with a nod. A planner is made with what it may use, `PlannerParts`."""

    def __init__(self, parts: PlannerParts) -> None:
        self.config = parts.config

    def plan(self, request: PlanRequest, ctx: Context) -> list[Step]:
        return [Step(1, 'nod', {'times': 2})]
