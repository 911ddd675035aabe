# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""home: move the arm back to where tasks start."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.arm import Arm
from replan_agent.execute.contract import Call, Skill, unverified
from replan_agent.motion.motion_protocols import MotionRequest

from . import NO_ARGUMENTS

HOME_TOLERANCE_RAD = 0.02


class Home(Skill):
    spec = SkillSpec(
        name='home',
        description='Move the arm to its home position. A held object stays held.',
        arguments=NO_ARGUMENTS,
        effect=Effect(EffectKind.GO_HOME),
        example='home()',
    )

    def run(self, call: Call) -> SkillResult:
        arm = Arm(call, MotionRequest(call.scene))
        return call.in_phases([('move', lambda: arm.to_joints(call.kit.robot.home))])

    def verify(self, call: Call) -> SkillResult:
        off = np.abs(call.kit.robot.state().joints - call.kit.robot.home)
        if not off.max() <= HOME_TOLERANCE_RAD:  # also if it is no number
            name = call.kit.robot.limits.names[int(off.argmax())]
            return unverified(f'{name} is {off.max():.3f} rad from home '
                              f'(tolerance {HOME_TOLERANCE_RAD} rad)')
        return succeeded()
