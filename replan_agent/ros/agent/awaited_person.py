"""A task that waits for a person says so: latched on `~/question`, in the log, on /diagnostics."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rclpy.node import Node
from replan_agent_interfaces.msg import Question

from replan_agent.domain.plan import Plan
from replan_agent.ros.messages.message_fields import duration_to_msg, id_to_msg
from replan_agent.ros.messages.scene_messages import plan_to_msg
from replan_agent.ros.rclpy_tools.qos import LATCHED

QUESTION = '~/question'
SERVICES = {Question.KIND_APPROVAL: 'approve_plan', Question.KIND_HINT: 'give_hint'}


class AwaitedPerson:
    """What the running task waits for, if it waits for a person."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._waits: tuple[str, float, float] | None = None  # for what, since when, how long
        self._topic = node.create_publisher(Question, QUESTION, LATCHED)
        self._topic.publish(Question())  # nothing waits

    def approval(self, task_id: str, plan: Plan, number: int, limit_s: float,
                 reasons: Sequence[str] = ()) -> Question:
        """The question whether a plan may run; `number` is the one to answer with."""
        answer = (f"{{task_id: '{task_id}', plan_version: {plan.version}, request: {number}, "
                  'approved: true}')
        return Question(
            kind=Question.KIND_APPROVAL, task_id=id_to_msg(task_id), task=plan.task,
            question=f'plan {plan.version} needs approval', answer=answer,
            plan=[plan_to_msg(plan, task_id, number)], reasons=list(reasons),
            timeout=duration_to_msg(limit_s))

    def hint(self, task_id: str, task: str, question: str, limit_s: float) -> Question:
        """The question of a stuck task, or of a planner."""
        return Question(
            kind=Question.KIND_HINT, task_id=id_to_msg(task_id), task=task, question=question,
            answer=f"{{task_id: '{task_id}', hint: '...'}}", timeout=duration_to_msg(limit_s))

    @contextmanager
    def waiting(self, question: Question, limit_s: float) -> Iterator[None]:
        """While a task waits for an answer; `answer` of the question becomes the whole call."""
        service = SERVICES[question.kind]
        kind = ''.join(word.title() for word in service.split('_'))
        question.answer = (f'ros2 service call {self._node.resolve_service_name(service)} '
                           f'replan_agent_interfaces/srv/{kind} "{question.answer}"')
        question.asked_at = self._node.get_clock().now().to_msg()
        self._waits = question.question, time.monotonic(), limit_s
        self._topic.publish(question)
        self._node.get_logger().warning(f'waits up to {limit_s:g} s for a person: '
                                        f'{question.question}; answer with: {question.answer}')
        try:
            yield
        finally:
            self._waits = None
            self._topic.publish(Question())

    @property
    def sentence(self) -> str:
        """What the task waits for, since when and how long; '' if it does not wait."""
        waits = self._waits
        if waits is None:
            return ''
        what, since, limit_s = waits
        waited_s = time.monotonic() - since
        return f'has waited {waited_s:.0f} s of {limit_s:.0f} s for a person: {what}'
