# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent of a running ROS graph as the arm of the server."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent_talk.conversation import Conversation
from replan_agent_talk.talk import build_conversation

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.resume import Resume
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.skill import SkillSpec

from .said import said
from .station import Look, Order, TaskRefused

if TYPE_CHECKING:
    from .remote_agent import RemoteAgent

APPROVE_PLAN = 'with the service approve_plan'


class RosStation:
    """A remote agent. Its skill node has a stop latch too, and its agent node the approver."""

    ask_where = APPROVE_PLAN

    def __init__(self, agent: RemoteAgent, approver: str | None, namespace: str = '',
                 command: str = 'mcp') -> None:
        self.agent, self._asked = agent, approver
        words = f' --namespace {shlex.quote(namespace)}' if namespace else ''
        self.reset_command = f'replan-agent {command} --ros --reset-stop{words}'
        self._first = threading.Lock()
        self._conversation: Conversation | None = None
        self.approver = approver or 'as agent_node is configured'

    def look(self) -> Look:
        scene = self.agent.observe()
        try:
            return Look(scene, self.agent.picture())
        except CameraError as error:
            return Look(scene, no_picture=str(error))

    def skills(self) -> tuple[SkillSpec, ...]:
        return self.agent.skills()

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        def carry_out(task: str, out: Path, resume: Resume | None = None) -> Mapping[str, Any]:
            hints = resume.hints[-1:] if resume else ()
            asks = resume and resume.denied and self._asked != 'none'  # a no is final
            return self.agent.run(task, order.steps, 'remote' if asks else self._asked, out,
                                  on_progress, ctx, hints)

        try:
            return carry_out(order.task, folder) if order.steps else said(
                self.conversation, order.task, folder, carry_out)
        except (NodeLost, ValueError, OSError) as error:
            raise TaskRefused(str(error)) from error

    @property
    def conversation(self) -> Conversation:
        """What was said to this server. Left and right are as the agent reads them."""
        with self._first:
            self._conversation = self._conversation or build_conversation(
                self.agent.viewpoint(), self.agent.observe, cache(self.agent.skills))
            return self._conversation

    def stop(self) -> str:
        try:
            return self.agent.stop()
        except NodeLost as lost:
            return str(lost)

    def reset(self) -> str:
        try:
            released, message = self.agent.reset_stop()
        except NodeLost as lost:
            raise TaskRefused(str(lost)) from lost
        if not released:
            raise TaskRefused(message)
        return message

    def close(self) -> None:
        self.agent.close()
