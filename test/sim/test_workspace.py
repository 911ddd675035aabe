# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded arm stays in its workspace, whoever planned the motion."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.execute.arm import command_result
from replan_agent.execute.contract import Call, Skill
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import joint_planner

SMALL = WorkspaceConfig(x_min=0.15, x_max=0.40)


def cell(workspace: WorkspaceConfig) -> Simulation:
    return Simulation('tabletop', config=replace(load_config(), workspace=workspace))


def test_an_object_outside_the_workspace_is_not_picked():
    sim = cell(SMALL)
    bar = sim.scene.get('yellow_bar')
    assert bar is not None and bar.position[0] > SMALL.x_max
    result = sim.run('pick up the yellow bar')
    assert not result.success
    assert {a.reason for a in result.attempts} == {'workspace_violation'} and not result.steps


def test_an_object_inside_a_small_workspace_is_picked():
    assert cell(replace(SMALL, x_max=0.55)).run('pick up the red cube').success


class Lean(Skill):
    """Leans forward with a motion that knows no workspace."""

    spec = SkillSpec('lean', 'Lean forward', {'type': 'object', 'properties': {}})

    def run(self, call: Call) -> SkillResult:
        start = call.kit.robot.state().joints
        goal = start.copy()
        goal[1], goal[3] = goal[1] + 0.7, goal[3] + 0.7
        motion = joint_planner(load_config(), PANDA).to_joints(
            start, goal, MotionRequest(call.scene), call.ctx)
        assert motion.trajectory is not None
        return command_result(call.kit.robot.execute(motion.trajectory, call.ctx))

    def verify(self, call: Call) -> SkillResult:
        return succeeded()


def test_a_motion_that_a_skill_plans_by_itself_is_refused_at_the_robot():
    sim = Simulation('tabletop', config=replace(load_config(), workspace=SMALL), skills=[Lean()],
                     planner=lambda request, ctx: [Step(1, 'lean')], max_replans=0)
    start = sim.robot.state().joints
    (attempt,) = sim.run('lean forward').attempts
    assert attempt.reason == 'workspace_violation' and 'x_max=0.4' in attempt.reason_detail
    assert (sim.robot.state().joints == start).all()
