# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A conversation with an agent: `Talk(agent).say('put the cube in the bowl')`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from replan_agent.agent.ports import Recorder
from replan_agent.app.build.arm_agent import ArmAgent
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.event import Event
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.record.run_folder import new_run_path

from .conversation import Conversation, Reply


class Talk:
    """What is said to an agent. Tasks that the agent runs otherwise are known here too."""

    def __init__(self, agent: ArmAgent) -> None:
        self.agent = agent
        self.conversation = build_conversation(agent.config.viewpoint, lambda: agent.scene,
                                               agent.skills.specs)
        agent.on_task.append(self.conversation.note)

    def say(self, text: str, *, out: Path | str | None = None,
            on_event: Callable[[Event], None] | None = None,
            watchers: Iterable[Recorder] = (), ctx: Context | None = None) -> Reply:
        """The reply to an order, an answer, a correction or a question: `docs/conversation.md`.

        `out` is a folder: each task gets a folder of its own in it. The rest is as in `Agent.run`.
        """
        def carried_out(task: str, resume: Resume | None) -> TaskResult:
            folder = None if out is None else new_run_path(Path(out), 'said')
            return self.agent.run(task, out=folder, on_event=on_event, watchers=watchers, ctx=ctx,
                                  resume=resume)

        return self.conversation.say(text, carried_out)


def build_conversation(viewpoint: str, look: Callable[[], Scene],
                       specs: Callable[[], tuple[SkillSpec, ...]]) -> Conversation:
    """A conversation that reads tasks as the search does."""
    reader = build_reader(viewpoint)
    planner = SearchPlanner(reader)

    def read(task: str, scene: Scene) -> Reading:
        return planner.read(PlanRequest(task, scene, specs()), Search(specs()))

    return Conversation(reader, read, look, specs)
