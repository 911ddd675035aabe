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
    with processes(names, use_sim_time=True, patience__appear_timeout=60.0) as started:
        with spun() as caller:
            answer = caller.run(PICK)
        statuses = {name: process.end() for name, process in started.items()}
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert answer.result.final_reason == Result.FINAL_PLAN_COMPLETE
    assert statuses == dict.fromkeys(names, 0)


def test_a_skill_node_killed_while_the_arm_moves_is_a_lost_node_and_is_found_again(
    ros: Any
) -> None:
    place: dict[str, Any] = {'namespace': 'shot'}
    more: dict[str, Any] = {'use_sim_time': True, 'realtime_factor': 2.0}

    def skill_node() -> Process:
        return Process('-m', 'replan_agent.ros.skill_node', **place, **more)

    first = skill_node()
    parameters = overrides(patience__silence_timeout=3.0, patience__appear_timeout=60.0,
                           patience__answer_timeout=30.0, **more)
    nodes = [make(parameter_overrides=parameters, **place)
             for make in (SimNode, PerceptionNode, PlannerNode, AgentNode)]
    with spun(*nodes, **place) as caller:
        task = caller.send(PICK)
        task.reaches(lambda progress: progress.message == 'pick: approach')
        first.kill()
        lost = task.end().result
        second = skill_node()
        found = caller.run('go home').result
        second.end()
    assert lost.final_reason == Result.FINAL_NODE_LOST
    assert lost.error_code == Result.NODE_LOST
    assert lost.final_detail.startswith('skill_node ')
    assert 'standstill NOT confirmed' in lost.final_detail
    assert found.success
