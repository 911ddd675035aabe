# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever a question offers is an answer to it, and carries out what it says."""

from __future__ import annotations

import re

import pytest
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import Sentence, all_sentences
from replan_agent_talk.conversation import Conversation

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import TaskResult
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner

EVERY = 16  # one of so many is read for every change, all of them before a release
SKILLS = standard_skills().specs()
ALL = all_sentences()


class Runs(Exception):
    """The task that would be carried out."""


def run(task: str, resume: Resume | None) -> TaskResult:
    raise Runs(task)


def talk_about(case: Sentence) -> Conversation:
    reader, scene = build_reader(case.viewpoint), SCENES[case.scene]
    planner = SearchPlanner(reader)
    return Conversation(reader, lambda task, now: planner.read(
        PlanRequest(task, now, SKILLS), Search(SKILLS)), lambda: scene, lambda: SKILLS)


def reply_to(talk: Conversation, words: str) -> tuple[str, bool]:
    """The task that is carried out, or what is answered; and whether it asks."""
    try:
        reply = talk.say(words, run)
    except Runs as runs:
        return str(runs), False
    return reply.text, reply.asks


def unaccepted(case: Sentence) -> list[tuple[str, str, str]]:
    """The choices that the question about a sentence does not take as answers."""
    asked = talk_about(case)
    question, asks = reply_to(asked, case.text)
    listed = re.findall(r'\(\d+\) (.*?)(?= \(\d+\) |$)', question) if asks else []
    named = re.findall(r'It could be (.*?)$', question) if asks and not listed else []
    offered = {str(n): said for n, said in enumerate(listed, 1)} | {said: said for said in listed}
    offered |= {name: '' for names in named for name in names.split(', ')}
    found = []
    for answer, wanted in offered.items():
        talk = talk_about(case)
        talk.open = asked.open
        done, again = reply_to(talk, answer)
        if done == question or 'answers nothing' in done or not again and wanted not in ('', done):
            found.append((case.text, answer, done))
    return found


@pytest.mark.parametrize('start', range(2))
def test_every_choice_of_some_questions_is_an_answer(start: int) -> None:
    assert [odd for case in ALL[start::EVERY] for odd in unaccepted(case)] == []


@pytest.mark.release
def test_every_choice_of_a_question_is_an_answer() -> None:
    assert [odd for case in ALL for odd in unaccepted(case)] == []


@pytest.mark.parametrize(('scene', 'text', 'choices'), [
    ('tabletop', 'put the red cube in the bowl and in the bin',
     ['The red cube should be in the bowl.', 'The red cube should be in the bin.']),
    ('bowl_full', 'put two cubes in the bin and one cube in the bowl',
     ['Exactly 2 cubes should be in the bin, then exactly one cube should be in the bowl.',
      'Exactly 2 cubes should be in the bin, then exactly 2 cubes should be in the bowl.']),
    ('tabletop', 'put the red cube or the can in the bowl',
     ['put the red cube in the bowl', 'put the green cylinder in the bowl'])])
def test_a_question_about_readings_offers_them(scene: str, text: str, choices: list[str]) -> None:
    talk = talk_about(Sentence(scene, text, 'ask'))
    later = talk._later(SCENES[scene])
    assert list(later.choices(text)) == choices
