# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""open_gripper: let go of the held object."""

from __future__ import annotations

from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.arm import Arm
from replan_agent.execute.contract import Call, Skill, unverified
from replan_agent.motion.motion_protocols import MotionRequest

from . import NO_ARGUMENTS

OPEN_TOLERANCE_M = 0.003


class OpenGripper(Skill):
    spec = SkillSpec(
        name='open_gripper',
        description='Open the gripper fully. A held object falls from where it is.',
        arguments=NO_ARGUMENTS,
        effect=Effect(EffectKind.RELEASE),
        example='open_gripper()',
    )

    def run(self, call: Call) -> SkillResult:
        arm = Arm(call, MotionRequest(call.scene))
        width = call.kit.robot.max_gripper_width
        return call.in_phases([('open', lambda: arm.open_to(width))])

    def verify(self, call: Call) -> SkillResult:
        width, full = call.kit.robot.state().gripper_width, call.kit.robot.max_gripper_width
        if not width >= full - OPEN_TOLERANCE_M:  # also if it is no number
            return unverified(f'the gripper opened to {width * 1000:.1f} mm of '
                              f'{full * 1000:.0f} mm', gripper_width=width)
        return succeeded(gripper_width=width)
