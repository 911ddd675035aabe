# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publishes what happens in a task, on `events` and `~/plan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rclpy.node import Node
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import Plan as PlanMsg

from replan_agent.app.build.plugins import views
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain import event as events
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.call_messages import event_to_msg, plan_to_msg
from replan_agent.ros.messages.message_fields import NANOSECONDS
from replan_agent.ros.rclpy_tools.qos import EVENTS, LATCHED

PLAN = '~/plan'  # /plan is Nav2's
Skills = Callable[[], Sequence[SkillSpec]]


class EventTopics:
    """The topics `events` and `~/plan` of the agent, and the views of the task."""

    def __init__(self, node: Node, arm: ArmModel) -> None:
        self._clock = node.get_clock()
        self._events = node.create_publisher(EventMsg, 'events', EVENTS)
        self._plan = node.create_publisher(PlanMsg, PLAN, LATCHED)
        self._views = [make(node, arm) for make in views('task')]

    def publish(self, event: events.Event, task_id: str, sequence: int, skills: Skills) -> None:
        now = self._clock.now().nanoseconds / NANOSECONDS
        self._events.publish(event_to_msg(event, now, task_id, sequence))
        if isinstance(event, events.PlanMade):
            self._plan.publish(plan_to_msg(event.plan, task_id))
        if isinstance(event, events.PlanAdapted):
            self._plan.publish(plan_to_msg(event.running, task_id))
        if isinstance(event, events.ApprovalPending) and event.plan is not None:
            self._plan.publish(plan_to_msg(event.plan, task_id, event.request))
        for view in self._views:
            view.show(event, skills)


class TopicRecorder:
    """Publishes the events of one task, numbered without a gap; `skills` returns its skills."""

    def __init__(self, topics: EventTopics, task_id: str, skills: Skills) -> None:
        self._topics, self._skills, self._task_id, self._sequence = topics, skills, task_id, 0

    def record(self, event: events.Event) -> None:
        self._topics.publish(event, self._task_id, self._sequence, self._skills)
        self._sequence += 1

    def finish(self, result: TaskResult) -> None:
        """Do nothing: the last event contains the result."""
