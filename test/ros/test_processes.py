# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node as a process of its own that is killed while the arm moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.sim_node import SimNode
from rig import Process, finished, overrides, spun, until

from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.skill_node import SkillNode

Result = ExecuteTask.Result
PICK = 'pick up the red cube'
STANDSTILL = 0.01  # rad/s
# A motion that would go on for long after a node was killed.
SLOW: dict[str, Any] = {'use_sim_time': True, 'realtime_factor': 1.0,
                        'motion__max_velocity_scaling_factor': 0.02,
                        'motion__max_acceleration_scaling_factor': 0.02}


class Motions:
    """How the arm's controller ended its goals."""

    def __init__(self, node: Node) -> None:
        self._last: GoalStatusArray = GoalStatusArray()
        node.create_subscription(
            GoalStatusArray, 'panda_arm_controller/follow_joint_trajectory/_action/status',
            self._keep, qos_profile_action_status_default)

    def _keep(self, statuses: GoalStatusArray) -> None:
        self._last = statuses

    def await_last(self, status: int) -> None:
        until(lambda: self._last.status_list and self._last.status_list[-1].status == status,
              lambda: f'not {status}: {self._last}')


def speed(sim: SimNode) -> float:
    """Of the fastest joint, rad/s."""
    return float(np.abs(sim.robot.state().velocities).max())


def test_a_skill_node_killed_while_the_arm_moves_is_lost_and_the_agent_stops_the_arm(
    ros: Any
) -> None:
    place: dict[str, Any] = {'namespace': 'shot'}
    started = Process('-m', 'replan_agent.ros.nodes.skill_node', **place, **SLOW)
    parameters = overrides(timeouts__silence_timeout=6.0, timeouts__appear_timeout=150.0,
                           timeouts__answer_timeout=30.0, **SLOW)
    sim, *others = [make(parameter_overrides=parameters, **place)
                    for make in (SimNode, PerceptionNode, PlannerNode, AgentNode)]
    with started as skill_node, spun(sim, *others, **place) as caller:
        motions = Motions(caller)
        caller.await_nodes(['skill_node'])
        task = caller.send(PICK)
        task.reaches(lambda progress: speed(sim) > 2 * STANDSTILL)
        skill_node.kill()
        answer = task.end()
        left = speed(sim)
        motions.await_last(GoalStatus.STATUS_CANCELED)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.final_reason == Result.FINAL_NODE_LOST
    assert answer.result.error_code == Result.NODE_LOST
    assert answer.result.final_detail.startswith('skill_node fell silent; waited ')
    assert 'NOT confirmed' not in answer.result.final_detail
    assert left < STANDSTILL


@pytest.mark.release
def test_an_agent_killed_while_the_arm_moves_is_told_as_lost_when_it_runs_again(
    ros: Any, tmp_path: Path
) -> None:
    place: dict[str, Any] = {'namespace': 'orphaned'}
    words: dict[str, Any] = {**place, **SLOW, 'tasks__runs': str(tmp_path),
                             'timeouts__appear_timeout': 150.0}
    started = Process('-m', 'replan_agent.ros.nodes.agent_node', **words)
    parameters = overrides(watchdog__heartbeat_timeout=5.0, **SLOW)
    sim, skill_node, *others = [make(parameter_overrides=parameters, **place)
                                for make in (SimNode, SkillNode, PerceptionNode, PlannerNode)]
    with started as agent, spun(sim, skill_node, *others, **place) as caller:
        motions = Motions(caller)
        task = caller.send(PICK)
        task.reaches(lambda progress: speed(sim) > 2 * STANDSTILL)
        agent.kill()
        motions.await_last(GoalStatus.STATUS_CANCELED)
        left = speed(sim)
        refusal = skill_node._latch.refusal()
        with Process('-m', 'replan_agent.ros.nodes.agent_node', **words):
            until(lambda: task.handle.status == GoalStatus.STATUS_ABORTED)
            told = finished(task.handle.get_result_async())
            caller.trigger('reset_stop')
            after = caller.run('look again')  # right after the restart
    assert left < STANDSTILL, 'the controller tells of the end at standstill'
    assert 'no heartbeat on heartbeat for' in refusal and 'call reset_stop' in refusal
    assert told.status == GoalStatus.STATUS_ABORTED
    assert told.result.final_reason == Result.FINAL_AGENT_LOST
    assert told.result.error_code == Result.AGENT_LOST and told.result.task == PICK
    written = json.loads((Path(told.result.run_folder) / 'result.json').read_text('utf-8'))
    assert written['final_reason'] == 'agent_lost' and 'was running' in written['final_detail']
    assert after.result.success, after.result.error_msg
