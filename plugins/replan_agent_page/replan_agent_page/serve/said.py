# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is said to the arm of a server goes through the conversation with its agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from replan_agent_talk.conversation import Conversation

from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.run_folder import new_run_path

SAID, ASKS = 'said', 'asks'
Carry = Callable[[str, Path, Resume | None], Mapping[str, Any]]


def said(conversation: Conversation, words: str, folder: Path, carry_out: Carry
         ) -> Mapping[str, Any]:
    """The result.json of the task that was meant, if there is one, with the reply.

    A task that is corrected before it is approved is followed by another one, in a new folder.
    """
    results: list[Mapping[str, Any]] = []

    def run(task: str, resume: Resume | None) -> TaskResult:
        own = new_run_path(folder.parent, 'said') if results else folder
        results.append(carry_out(task, own, resume))
        return TaskResult.from_dict(results[-1])

    reply = conversation.say(words, run)
    return {**(results[-1] if results else {}), SAID: reply.text, ASKS: reply.asks}
