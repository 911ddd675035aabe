"""Builds the reader of words, the one place that chooses the language; and what talks with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from replan_agent.agent.ports import Reader
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.english.reader import EnglishReader
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner

if TYPE_CHECKING:
    from replan_agent.talk.conversation import Conversation


def build_reader(viewpoint: str = 'arm') -> Reader:
    """Reads words in English. `viewpoint` says whose left is meant."""
    return EnglishReader(viewpoint)


def mentioned(task: str) -> tuple[str, ...] | None:
    """What the task names, for a model that points; None if the grammar does not understand it."""
    try:
        return build_reader().mentions(task)
    except (NotUnderstood, Open):
        return None


def build_conversation(viewpoint: str, look: Callable[[], Scene],
                       specs: Callable[[], tuple[SkillSpec, ...]]) -> Conversation:
    """A conversation that reads tasks as the search does."""
    from replan_agent.talk.conversation import Conversation
    reader = build_reader(viewpoint)
    planner = SearchPlanner(reader)

    def read(task: str, scene: Scene) -> Reading:
        return planner.read(PlanRequest(task, scene, specs()), Search(specs()))

    return Conversation(reader, read, look, specs)
