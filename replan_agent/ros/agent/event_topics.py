"""Publishes what happens in a task: on `events` and `plan`, and as the action's feedback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rclpy.node import Node
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import Plan as PlanMsg

from replan_agent.agent.states import State
from replan_agent.domain import event as events
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.call_messages import Progress, event_to_msg
from replan_agent.ros.messages.scene_messages import plan_to_msg
from replan_agent.ros.rclpy_tools.qos import EVENTS, LATCHED
from replan_agent.ros.rviz.marker_topics import TaskMarkers

NANOSECONDS = 1e9
Skills = Callable[[], Sequence[SkillSpec]]


class EventTopics:
    """The topics `events` and `plan` of the agent, and the markers."""

    def __init__(self, node: Node, model: str) -> None:
        self._clock = node.get_clock()
        self._events = node.create_publisher(EventMsg, 'events', EVENTS)
        self._plan = node.create_publisher(PlanMsg, 'plan', LATCHED)
        self._markers = TaskMarkers(node, model)

    def recorder(self, task_id: str, skills: Skills) -> TopicRecorder:
        """A recorder for one task; `skills` returns its skills."""
        return TopicRecorder(self, task_id, skills)

    def publish(self, event: events.Event, task_id: str, sequence: int, skills: Skills) -> None:
        now = self._clock.now().nanoseconds / NANOSECONDS
        self._events.publish(event_to_msg(event, now, task_id, sequence))
        if isinstance(event, events.PlanMade):
            self._plan.publish(plan_to_msg(event.plan, task_id))
        if isinstance(event, events.PlanAdapted):
            self._plan.publish(plan_to_msg(event.running, task_id))
        if isinstance(event, events.ApprovalPending) and event.plan is not None:
            self._plan.publish(plan_to_msg(event.plan, task_id, event.request))
        self._markers.show(event, skills)


class TopicRecorder:
    """Publishes the events of one task, numbered without a gap."""

    def __init__(self, topics: EventTopics, task_id: str, skills: Skills) -> None:
        self._topics, self._skills = topics, skills
        self._task_id = task_id
        self._sequence = 0

    def record(self, event: events.Event) -> None:
        self._topics.publish(event, self._task_id, self._sequence, self._skills)
        self._sequence += 1

    def finish(self, result: TaskResult) -> None:
        """Do nothing: the last event contains the result."""


class ProgressRecorder:
    """Turns events into progress, for the caller of the task."""

    def __init__(self, publish: Callable[[Progress], None]) -> None:
        self._publish = publish
        self._progress = Progress(State.IDLE)

    def record(self, event: events.Event) -> None:
        progress = self._after(event)
        if progress is not None:
            self._progress = progress
            self._publish(progress)

    def finish(self, result: TaskResult) -> None:
        """Do nothing: the action returns the result."""

    def _after(self, event: events.Event) -> Progress | None:
        """The progress after an event; None if it does not change."""
        now = self._progress
        match event:
            case events.StateChanged():
                return replace(now, state=State(event.state), message=event.state)
            case events.PlanMade():
                calls = ' → '.join(step.call for step in event.plan.steps)
                return replace(now, plan_version=event.plan.version, step=None,
                               message=f'plan {event.plan.version}: {calls}')
            case events.PlanAdapted():
                calls = ' → '.join(step.call for step in event.to_run)
                return replace(now, message=f'plan {event.plan.version} adapted: {calls}')
            case events.ApprovalPending():
                why = f': {"; ".join(event.reasons)}' if event.reasons else ''
                return replace(now, message=f'plan {event.plan_version} waits for approval, '
                                            f'request {event.request}{why}')
            case events.HumanAsked():
                return replace(now, message=f'a person is needed: {event.question}')
            case events.StepStarted():
                return replace(now, step_idx=event.step_idx, step=event.step,
                               message=event.step.call)
            case events.PhaseStarted():
                return replace(now, message=f'{event.skill}: {event.phase}')
            case events.StepFinished():
                answer = 'ok' if event.result.success else event.result.reason_detail
                return replace(now, message=f'{event.step.call}: {answer}')
            case events.AttemptRecorded():
                failed = event.attempt
                return replace(now, last_attempt=failed,
                               message=f'failed: {failed.reason} — {failed.reason_detail}')
            case events.ReplanStarted():
                return replace(now, replans=event.replans, message=f'replan: {event.cause}')
            case events.WarningRaised():
                return replace(now, message=f'warning: {event.message}')
            case _:
                return None
