# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a refusal suggests: sentences that work in the scene, and nothing contrary."""

from __future__ import annotations

import itertools
import re

import pytest
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import all_sentences

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
SUGGESTED = re.compile(r'similar sentences? that works? here: (("[^"]+"(, )?)+)')
REFUSED = [case for case in all_sentences() if case.is_refused]


def suggested(reply: PlanReply) -> list[str]:
    found = SUGGESTED.search(reply.detail)
    return re.findall(r'"([^"]+)"', found[1]) if found else []


def answer(task: str, scene: str) -> PlanReply:
    return SearchPlanner(build_reader()).plan(PlanRequest(task, SCENES[scene], SKILLS), Context())


@pytest.mark.parametrize('scene', SCENES)
@pytest.mark.parametrize('task', [
    'put the red cube under the bowl', 'pick up the red cube with your teeth',
    'swap the cube and the moon twice', 'push the lemon off a cliff'])
def test_a_suggested_sentence_is_carried_out_in_that_scene(task: str, scene: str) -> None:
    for sentence in suggested(answer(task, scene)):
        assert answer(sentence, scene).kind is ReplyKind.STEPS


def test_whatever_is_refused_each_suggestion_reads_back_as_something_to_do() -> None:
    found = [(case.text, case.scene, sentence) for case in REFUSED[::16]
             for sentence in suggested(answer(case.text, case.scene))]
    assert found and [one for one in found
                      if answer(one[2], one[1]).kind is not ReplyKind.STEPS] == []


def test_at_most_three_sentences_are_suggested() -> None:
    found = suggested(answer('put the red cube next to the blue cube in the bowl quickly, quickly '
                             'and then shoot', 'tabletop'))
    assert 1 < len(found) <= 3


def test_a_suggestion_names_what_was_named() -> None:
    detail = answer('shoot the banana into the bowl', 'fruit').detail
    assert 'put the banana in the bowl' in detail


@pytest.mark.parametrize('task', [
    "don't touch the red cube", 'never put the red cube in the bowl', 'what is in the bowl?',
    'put everything in the fridge except the bar', 'stop'])
def test_who_says_what_to_avoid_or_asks_gets_no_suggestion(task: str) -> None:
    assert 'similar sentence' not in answer(task, 'tabletop').detail


def in_ticks(deadline: float) -> PlanReply:
    """The answer to a refused task, if each look at the clock takes a second."""
    ticks = itertools.count()
    ctx = Context(deadline=deadline, now=lambda: float(next(ticks)))
    request = PlanRequest('shoot the banana into the bowl', SCENES['fruit'], SKILLS)
    return SearchPlanner(build_reader()).plan(request, ctx)


def test_a_suggestion_that_takes_too_long_is_left_out() -> None:
    reply = in_ticks(deadline=float('inf'))
    assert reply.kind is ReplyKind.UNRECOGNIZED and 'shoot' in reply.detail
    assert 'similar sentence' not in reply.detail


def test_the_time_for_a_plan_covers_its_suggestions() -> None:
    with pytest.raises(DeadlineExceeded):
        in_ticks(deadline=3.0)


@pytest.mark.parametrize(('task', 'scene'), [
    ('put the banana under the bowl', 'fruit'), ('hang the red cube on the blue cube', 'tower'),
    ('put the bowl upside down on the can', 'tabletop'), ('wash the mug', 'kitchen'),
    ('the big purple cube goes under the green one', 'blocks'),
    ('balance the green cube on the red ball', 'blocks')])
def test_nothing_is_suggested_that_is_another_task(task: str, scene: str) -> None:
    assert 'similar sentence' not in answer(task, scene).detail


def test_a_suggestion_keeps_the_direction() -> None:
    detail = answer('push the pear to the right until it touches the plate', 'breakfast').detail
    assert 'to the left' not in detail


@pytest.mark.parametrize(('task', 'scene'), [
    ('push the pear to the right until it touches the plate', 'breakfast'),
    ('put it two widths further left', 'one_cube')])
def test_an_english_word_is_no_typing_mistake(task: str, scene: str) -> None:
    assert 'did you mean' not in answer(task, scene).detail


def test_a_wrong_letter_in_a_colour_is_asked_about() -> None:
    assert "did you mean 'red'" in answer('put the read cube in the bowl', 'tabletop').detail
