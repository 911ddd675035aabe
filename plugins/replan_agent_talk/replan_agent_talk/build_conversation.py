"""Builds the conversation with an agent."""

from __future__ import annotations

from collections.abc import Callable

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner

from .conversation import Conversation


def build_conversation(viewpoint: str, look: Callable[[], Scene],
                       specs: Callable[[], tuple[SkillSpec, ...]]) -> Conversation:
    """A conversation that reads tasks as the search does. `viewpoint` says whose left is meant."""
    reader = build_reader(viewpoint)
    planner = SearchPlanner(reader)

    def read(task: str, scene: Scene) -> Reading:
        return planner.read(PlanRequest(task, scene, specs()), Search(specs()))

    return Conversation(reader, read, look, specs)
