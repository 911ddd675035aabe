# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plain answers: another language, a task that asks for nothing, words as they were written."""

from __future__ import annotations

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()


def planned(task: str) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, SCENES['tabletop'], SKILLS), Context())


@pytest.mark.parametrize('task', [
    'lege den roten W\u00fcrfel in die Schale', 'mets le cube rouge dans le bol',
    'pon el cubo rojo en el cuenco', 'prendi il cubo rosso', 'zet de rode kubus in de kom',
    'we\u017a czerwon\u0105 kostk\u0119',
    '\u8d64\u3044\u7acb\u65b9\u4f53\u3092\u5165\u308c\u3066',
    '\u043f\u043e\u043b\u043e\u0436\u0438 \u043a\u0443\u0431'])
def test_another_language_is_named_as_the_problem(task: str) -> None:
    reply = planned(task)
    assert reply.kind is ReplyKind.UNRECOGNIZED and not reply.steps
    assert 'English only' in reply.detail and '--planner vlm' in reply.detail
    assert task in reply.detail and 'did you mean' not in reply.detail


@pytest.mark.parametrize('task', [
    'pikc up teh rde cbue', 'yeet the red cube', 'put the roten cube in the bowl', 'xyzzy',
    'please defenestrate the zorgblat quickly', 'paint the red cube', "I'm hungry. I'm tired.",
    'what a mess!', 'do a backflip'])
def test_english_with_mistakes_or_unknown_words_is_still_english(task: str) -> None:
    assert 'English only' not in planned(task).detail


@pytest.mark.parametrize('task', [
    'stop', 'Stop!', 'please wait', "don't move", 'do not do anything', 'do nothing', 'halt',
    'Stop moving now, please!', 'wait a minute', 'stay where you are', "don't touch anything",
    'leave everything as it is', 'never mind', 'stop the arm'])
def test_a_task_that_asks_for_nothing_is_answered_so(task: str) -> None:
    reply = planned(task)
    assert reply.kind is ReplyKind.GIVE_UP and not reply.steps and not reply.goals
    assert 'nothing moves' in reply.detail and task in reply.detail


@pytest.mark.parametrize('task', [
    'stop and put the red cube in the bowl', 'do not move the red cube', 'wait for the red cube',
    'put the red cube in the bowl', 'stop. Put the red cube in the bowl',
    'pick up the red cube and keep hold of it'])
def test_a_task_with_a_thing_in_it_asks_for_more_than_nothing(task: str) -> None:
    assert 'nothing moves' not in planned(task).detail


@pytest.mark.parametrize('task', ['what can you see?', 'rm -rf /', 'Sing us a SONG, please!'])
def test_a_refusal_quotes_the_task_as_it_was_written(task: str) -> None:
    assert task.removesuffix(', please!') in planned(task).detail
