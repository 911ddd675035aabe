# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the agent does about failures, over ROS: the same as embedded."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.agent.clients import RosPerception, RosSkills
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.rclpy_tools.timeouts import Timeouts


def test_a_slip_is_answered_with_a_firmer_grip(ros: Any) -> None:
    nodes = all_nodes(parameter_overrides=overrides(use_sim_time=True, tasks__runs='',
                                                    scene='greasy_cube'))
    with spun(*nodes) as caller:
        answer = caller.run('pick up the red cube')
    assert answer.status == GoalStatus.STATUS_SUCCEEDED, answer.result.final_detail
    result = from_msg(TaskResult, answer.result)
    assert [a.diagnosis.cause for a in result.attempts if a.diagnosis] == ['slipped_in_lift']
    assert result.steps[-1].step.args['force'] > 40


def test_a_step_is_foreseen_and_nothing_moves(ros: Any) -> None:
    """Local planning uses this port to imagine steps."""
    nodes = all_nodes(parameter_overrides=overrides(use_sim_time=True, tasks__runs='',
                                                    scene='tabletop'))
    with spun(*nodes) as caller:
        skills, ctx = RosSkills(caller, Timeouts()), Context().within(60)
        scene = RosPerception(caller, Timeouts()).observe(ctx)
        before = nodes[0].robot.state().joints
        assert skills.foresee(Step(1, 'pick', {'object': 'red_cube'}), scene, ctx).success
        taken = skills.foresee(Step(1, 'pick', {'object': 'table'}), scene, ctx)
        assert 'is fixed' in taken.reason_detail
        assert (nodes[0].robot.state().joints == before).all()
