"""The same nodes as processes of their own: DDS between them, and one of them killed.

The tests share the processes, which take a while to start, and run in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from replan_agent_interfaces.action import ExecuteTask
from rig import Caller, Process, processes, spun

Result = ExecuteTask.Result
NAMES = ('sim_node', 'perception_node', 'planner_node', 'skill_node', 'agent_node')


@pytest.fixture(scope='module')
def graph(ros: Any) -> Iterator[tuple[Caller, dict[str, Process]]]:
    """A caller in this process, and the nodes in theirs."""
    slowly = {'realtime_factor': 2.0, 'motion.max_velocity_scaling_factor': 0.3}
    with processes(NAMES, 'five', use_sim_time=True, patience__silence_timeout=3.0,
                   patience__answer_timeout=3.0, **slowly) as started:
        with spun(namespace='five') as caller:
            caller.await_nodes(NAMES)
            yield caller, started


def test_a_task_succeeds_between_processes(graph: tuple[Caller, dict[str, Process]]) -> None:
    answer = graph[0].run('look around')
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert answer.result.final_reason == Result.FINAL_PLAN_COMPLETE


def test_a_skill_node_killed_while_the_arm_moves_is_a_lost_node(
    graph: tuple[Caller, dict[str, Process]]
) -> None:
    caller, started = graph
    task = caller.send('pick up the red cube')
    task.reaches(lambda progress: progress.message == 'pick: descend')
    started['skill_node'].kill()
    answer = task.end()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.final_reason == Result.FINAL_NODE_LOST
    assert answer.result.error_code == Result.NODE_LOST
    assert answer.result.final_detail.startswith('skill_node fell silent; waited ')
    assert 'standstill NOT confirmed' in answer.result.final_detail


def test_an_interrupted_node_ends_in_order(graph: tuple[Caller, dict[str, Process]]) -> None:
    left = {name: process for name, process in graph[1].items() if name != 'skill_node'}
    for process in left.values():
        process.interrupt()
    assert {name: process.status() for name, process in left.items()} == dict.fromkeys(left, 0)
