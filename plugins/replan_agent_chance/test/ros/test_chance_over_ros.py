# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Over ROS no chance is known: the question to a person says so, and so do the events."""

from __future__ import annotations

import json
from typing import Any

from replan_agent_interfaces.msg import Event, Question
from rig import overrides, spun, until
from stand_ins import StandInPerception, StandInSkills

from replan_agent.agent.task_progress import State
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.qos import EVENTS, LATCHED

WHY = 'for no robot over ROS'


def test_a_person_is_asked_and_reads_why_the_chance_is_not_known(ros: Any) -> None:
    asked: list[Question] = []
    told: list[Event] = []
    node = AgentNode(parameter_overrides=overrides(
        approver='adaptive', agent__chance='auto', approval__ask_below=0.9,
        approval__timeout=60.0))
    with spun(node, PlannerNode(), StandInPerception(), StandInSkills()) as caller:
        caller.create_subscription(Question, 'agent_node/question', asked.append, LATCHED)
        caller.create_subscription(Event, 'events', told.append, EVENTS)
        task = caller.send('pick up the red cube')
        task.reaches(lambda progress: progress.state is State.PENDING_APPROVAL)
        question = until(lambda: next((q for q in asked if q.kind == q.KIND_APPROVAL), None))
        event = until(lambda: next((e for e in told if e.kind == e.KIND_REHEARSAL_FINISHED), None))
        task.cancel()
        task.end()
    assert any(WHY in reason for reason in question.reasons)
    chance = json.loads(event.data_json)['chance']
    assert chance['value'] is None and WHY in chance['why_unknown']
