"""Sentences as people write them, and the goals that each must give. No simulator.

The tables are in config/sentences; docs/language.md says how they came about.
"""

from __future__ import annotations

import pytest
from replan_agent_bench.worlds.expectation import is_refusal, mismatch
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import KINDS, Sentence, all_sentences

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
ALL = all_sentences()


GROUPS: dict[str, list[Sentence]] = {}
for sentence in ALL:
    GROUPS.setdefault(f'{sentence.table} {sentence.scene}', []).append(sentence)


def wrong(case: Sentence) -> str:
    """What is wrong with the plan for the sentence; '' if nothing is."""
    request = PlanRequest(case.text, SCENES[case.scene], SKILLS)
    reply = SearchPlanner(build_reader(case.viewpoint)).plan(request, Context())
    if case.is_refused and not (is_refusal(reply) and reply.detail):
        return f'it is outside, and became {reply.kind.value}: {reply.goals}'
    return mismatch(case, reply, SKILLS)


@pytest.mark.parametrize('group', GROUPS)
def test_sentences_give_their_goals_and_what_is_outside_gives_none(group: str) -> None:
    assert {case.text: said for case in GROUPS[group] if (said := wrong(case))} == {}


def test_there_are_enough_of_them() -> None:
    assert len({c.scene for c in ALL}) == 17
    assert len([c for c in ALL if not c.is_refused]) >= 400
    assert len([c for c in ALL if c.is_refused]) >= 150
    assert {c.kind for c in ALL} == set(KINDS)


def _reply(*goals: Goal) -> PlanReply:
    return PlanReply(ReplyKind.DONE, goals=goals)


@pytest.mark.parametrize(('wanted', 'viewpoint', 'goals'), [
    ('turned yellow_bar 30', 'arm', (Goal(Predicate.TURNED, 'yellow_bar', degrees=60.0),)),
    ('row red_cube blue_cube', 'arm', (
        Goal(Predicate.AT, 'blue_cube', position=(0.5, 0.1)),
        Goal(Predicate.AT, 'red_cube', position=(0.5, -0.1)))),
    ('left_of red_cube bowl', 'arm', (
        Goal(Predicate.LEFT_OF, 'red_cube', 'bowl', viewpoint='person'),)),
    ('tower red_cube blue_cube', 'arm', (Goal(Predicate.STACKED, 'red_cube', 'blue_cube'),)),
    ('in red_cube bowl', 'arm', (Goal(Predicate.IN, 'red_cube', 'bowl'),
                                 Goal(Predicate.IN, 'blue_cube', 'bowl'))),
])
def test_another_angle_order_or_viewpoint_is_a_mismatch(
        wanted: str, viewpoint: str, goals: tuple[Goal, ...]) -> None:
    assert mismatch(Sentence('tabletop', '', wanted, viewpoint), _reply(*goals), SKILLS) != ''
