# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task that waits for a person says so: latched on `~/question`, in the log, on /diagnostics.

It waits only for somebody who can hear it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rclpy.node import Node
from replan_agent_interfaces.msg import Question

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.ros.messages.call_messages import plan_to_msg
from replan_agent.ros.messages.message_fields import duration_to_msg, id_to_msg
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.waiting import POLL_S

from .event_topics import PLAN

T = TypeVar('T')
QUESTION = '~/question'
# Who subscribes to one of these can hear a question. The feedback of a task does not count: each
# client of an action subscribes to it, also a script that never looks at it.
HEARD_ON = (QUESTION, 'events', PLAN)
UNHEARD_S = 1.0  # discovery can flicker; who is away longer is gone
NOBODY = ('nobody listens: no one subscribes to {}, and the goal does not ask for a person '
          "(approval: 'remote' or 'adaptive')")
SERVICES = {Question.KIND_APPROVAL: 'approve_plan', Question.KIND_HINT: 'give_hint'}


class AwaitedPerson:
    """What the running task waits for, if it waits for a person."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._waits: tuple[str, float, float] | None = None  # for what, since when, how long
        self.is_asked_for = False  # the goal of the running task says that a person listens
        self._topic = node.create_publisher(Question, QUESTION, LATCHED)
        self._topic.publish(Question())  # nothing waits

    def approval(self, task_id: str, plan: Plan, number: int, limit_s: float,
                 reasons: Sequence[str] = ()) -> Question:
        """The question whether a plan may run; `number` is the one to answer with."""
        return Question(
            kind=Question.KIND_APPROVAL, task_id=id_to_msg(task_id), task=plan.task,
            question=f'plan {plan.version} needs approval',
            answer=f'plan_version: {plan.version}, request: {number}, approved: true',
            plan=[plan_to_msg(plan, task_id, number)], reasons=list(reasons),
            timeout=duration_to_msg(limit_s))

    def hint(self, task_id: str, task: str, question: str, limit_s: float) -> Question:
        """The question of a stuck task, or of a planner."""
        return Question(
            kind=Question.KIND_HINT, task_id=id_to_msg(task_id), task=task, question=question,
            answer="hint: '...'", timeout=duration_to_msg(limit_s))

    def is_heard(self) -> bool:
        """Whether anybody can hear a question."""
        return self.is_asked_for or any(map(self._node.count_subscribers, HEARD_ON))

    @property
    def nobody(self) -> str:
        """That nobody can hear a question, as a sentence."""
        return NOBODY.format(' or '.join(map(self._node.resolve_topic_name, HEARD_ON)))

    def answer(self, taken: Callable[[], T | None], ctx: Context, limit_s: float) -> T | None:
        """What `taken` returns as soon as it is not None; None if it stays so.

        It ends early if nobody can hear the question.
        """
        began = heard = time.monotonic()
        while (given := taken()) is None and time.monotonic() < began + limit_s:
            ctx.check()
            if self.is_heard():
                heard = time.monotonic()
            elif time.monotonic() - heard > UNHEARD_S:
                self._node.get_logger().warning(f'does not wait: {self.nobody}')
                return None
            ctx.cancel.wait(POLL_S)
        return given

    @contextmanager
    def waiting(self, question: Question, limit_s: float) -> Iterator[None]:
        """While a task waits for an answer; `answer` of the question becomes the whole call."""
        service = SERVICES[question.kind]
        kind = ''.join(word.title() for word in service.split('_'))
        question.answer = (f'ros2 service call {self._node.resolve_service_name(service)} '
                           f'replan_agent_interfaces/srv/{kind} "{{task_id: {{uuid: '
                           f'{list(bytes(question.task_id.uuid))}}}, {question.answer}}}"')
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
        waited_s = (time.monotonic() - since) // 10 * 10  # clients show each new sentence
        return f'has waited {waited_s:.0f} s of {limit_s:.0f} s for a person: {what}'
