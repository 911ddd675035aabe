"""The same nodes as processes of their own: DDS between them, and one of them killed."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from replan_agent_interfaces.action import ExecuteTask
from rig import Process, overrides, processes, spun

from replan_agent.ros.agent_node import AgentNode
from replan_agent.ros.perception_node import PerceptionNode
from replan_agent.ros.planner_node import PlannerNode
from replan_agent.ros.sim_node import SimNode

Result = ExecuteTask.Result
PICK = 'pick up the red cube'


def test_a_task_succeeds_between_processes_that_end_in_order(ros: Any) -> None:
    names = ('sim_node', 'perception_node', 'planner_node', 'skill_node', 'agent_node')
    with processes(names, use_sim_time=True) as statuses, spun() as caller:
        caller.await_nodes(names)
        answer = caller.run(PICK)
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert answer.result.final_reason == Result.FINAL_PLAN_COMPLETE
    assert statuses == dict.fromkeys(names, 0)


def test_a_skill_node_killed_while_the_arm_moves_is_a_lost_node(ros: Any) -> None:
    place: dict[str, Any] = {'namespace': 'shot'}
    more: dict[str, Any] = {'use_sim_time': True, 'realtime_factor': 2.0}
    skill_node = Process('-m', 'replan_agent.ros.skill_node', **place, **more)
    parameters = overrides(patience__silence_timeout=2.0, patience__appear_timeout=60.0,
                           patience__answer_timeout=2.0, **more)
    nodes = [make(parameter_overrides=parameters, **place)
             for make in (SimNode, PerceptionNode, PlannerNode, AgentNode)]
    with spun(*nodes, **place) as caller:
        task = caller.send(PICK)
        task.reaches(lambda progress: progress.message == 'pick: approach')
        skill_node.kill()
        answer = task.end()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.final_reason == Result.FINAL_NODE_LOST
    assert answer.result.error_code == Result.NODE_LOST
    assert answer.result.final_detail.startswith('skill_node fell silent; waited ')
    assert 'standstill NOT confirmed' in answer.result.final_detail
