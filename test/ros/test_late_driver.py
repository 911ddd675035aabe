# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks that are sent before the arm's driver is there."""

from __future__ import annotations

from typing import Any

from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import NODES
from replan_agent_sim.sim_node import SimNode
from rig import overrides, spun

from replan_agent.agent.task_progress import State
from replan_agent.ros.rclpy_tools.node_process import Spinning

Result = ExecuteTask.Result
AGENT = [make for make in NODES if make is not SimNode]


def test_a_task_waits_for_a_driver_that_starts_after_it_was_sent(ros: Any) -> None:
    parameters = overrides(use_sim_time=True, timeouts__appear_timeout=60.0,
                           timeouts__observe_timeout=60.0)
    with spun(*(make(parameter_overrides=parameters) for make in AGENT)) as caller:
        task = caller.send('pick up the red cube')
        task.reaches(lambda progress: progress.state is State.PERCEIVING)
        with Spinning([SimNode(parameter_overrides=parameters)]):
            result = task.end().result
    assert result.final_reason == Result.FINAL_PLAN_COMPLETE, result.final_detail


def test_a_driver_that_does_not_start_is_named_with_the_waiting_time(ros: Any) -> None:
    parameters = overrides(use_sim_time=True, timeouts__appear_timeout=1.0,
                           scene_memory__lost_after=0.0)
    with spun(*(make(parameter_overrides=parameters) for make in AGENT)) as caller:
        result = caller.run('pick up the red cube').result
    assert result.final_reason == Result.FINAL_PERCEPTION_LOST
    assert result.error_code == Result.PERCEPTION_LOST
    assert result.final_detail.endswith(
        ': no joint state of panda_joint1 ... on joint_states within 1 s')
