"""What a refusal suggests: sentences that work in the scene, and nothing contrary."""

from __future__ import annotations

import re

import pytest

from replan_agent.bench.worlds.sentence_scenes import SCENES
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
SUGGESTED = re.compile(r'a similar sentence that works here: "([^"]+)"')


def answer(task: str, scene: str) -> PlanReply:
    return SearchPlanner().plan(PlanRequest(task, SCENES[scene], SKILLS), Context())


@pytest.mark.parametrize('scene', SCENES)
@pytest.mark.parametrize('task', [
    'put the red cube under the bowl', 'pick up the red cube with your teeth',
    'swap the cube and the moon twice', 'push the lemon off a cliff'])
def test_a_suggested_sentence_is_carried_out_in_that_scene(task: str, scene: str) -> None:
    found = SUGGESTED.search(answer(task, scene).detail)
    assert found is None or answer(found[1], scene).kind is ReplyKind.STEPS


def test_a_suggestion_names_what_was_named() -> None:
    detail = answer('put the banana under the bowl', 'fruit').detail
    assert 'put the banana in the bowl' in detail


@pytest.mark.parametrize('task', [
    "don't touch the red cube", 'never put the red cube in the bowl', 'what is in the bowl?',
    'put everything in the fridge except the bar', 'stop'])
def test_who_says_what_to_avoid_or_asks_gets_no_suggestion(task: str) -> None:
    assert 'similar sentence' not in answer(task, 'tabletop').detail
