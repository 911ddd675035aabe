# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skill of your own: the arm waves. Also what happens when a skill fails.

    .venv/bin/python examples/own_skill.py
"""

import numpy as np

from replan_agent import Arm, Call, MotionRequest, Simulation, Skill, SkillResult, SkillSpec, Step

NO_ARGUMENTS = {'type': 'object', 'properties': {}, 'additionalProperties': False}


class Wave(Skill):
    spec = SkillSpec('wave', 'Wave with the whole arm.', NO_ARGUMENTS, example='wave()')

    def run(self, call: Call) -> SkillResult:
        arm = Arm(call, MotionRequest(call.scene))
        home = call.kit.robot.home
        aside = home + np.array([0.4, 0, 0, 0, 0, 0, 0])  # rad, the first joint
        return call.in_phases([('aside', lambda: arm.to_joints(aside)),
                               ('back', lambda: arm.to_joints(home))])

    def verify(self, call: Call) -> SkillResult:
        off = np.abs(call.kit.robot.state().joints - call.kit.robot.home).max()
        if off > 0.02:
            return SkillResult(success=False, reason='verification_failed',
                               reason_detail=f'the arm is {off:.3f} rad from home')
        return SkillResult(success=True)


if __name__ == '__main__':
    simulation = Simulation('tabletop', skills=[Wave()],
                            planner=lambda request, ctx: [Step(1, 'wave')])
    result = simulation.run('wave hello')
    print(result.success, result.final_reason, [step.step.call for step in result.steps])
