# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""look, with a camera in the hand: see the table from several sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.skill import FailedStage, SkillResult, succeeded
from replan_agent.execute.arm import Arm
from replan_agent.execute.contract import Call
from replan_agent.motion.motion_protocols import MotionRequest

from .look import Look

HOME = 'home'
GAPS = 'not from all sides'


class LookAround(Look):
    """Goes to a few postures and looks from each. Perception puts the looks together.

    The arm stays where it is if the hand holds something. A posture that cannot be reached
    without a collision is left out.
    """

    spec = replace(
        Look.spec, moves_arm=True,
        description='Look at the table from several sides with the camera in the hand, then go '
                    'home. With something in the hand nothing moves.')

    def run(self, call: Call) -> SkillResult:
        if call.scene.held is not None:
            return succeeded(left_out=f'the hand holds {call.scene.held}')
        arm, left_out = Arm(call, MotionRequest(call.scene)), []
        for side, joints in (*call.kit.arm.look_postures, (HOME, call.kit.robot.home)):
            call.ctx.check()
            call.on_phase(f'look from {side}')
            gone = arm.to_joints(np.asarray(joints))
            why = gone.reason_detail if gone.stage is FailedStage.PLANNING else ''
            if not gone.success and not why:
                return gone
            if not why and side != HOME:  # from home, `verify` looks
                why = _look(call, arm)
            left_out += [f'{side}: {why}'] if why else []
        return succeeded(left_out='; '.join(left_out))

    def verify(self, call: Call) -> SkillResult:
        seen, left_out = super().verify(call), call.measured.get('left_out')
        return replace(seen, reason_detail=f'{seen.reason_detail}; {GAPS}: {left_out}'
                       ) if left_out else seen


def _look(call: Call, arm: Arm) -> str:
    """Look from here; why nothing was seen, or ''. The next motion avoids what is new."""
    try:
        arm.request = replace(arm.request, scene=call.kit.perception.observe(call.ctx))
    except PerceptionError as error:
        return str(error)
    return ''
