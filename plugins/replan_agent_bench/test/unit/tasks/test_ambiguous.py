# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences that leave open which object is meant are asked about; others are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from replan_agent_bench.scripted.request_reader import read_request
from replan_agent_bench.scripted.scripted_model import RULES
from replan_agent_bench.scripted.scripted_server import FakeModelServer
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import Sentence, all_sentences, sentences

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import VLMConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.goals import question_in_words
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.vlm.client import ChatClient

SKILLS = standard_skills().specs()
TABLE = tuple(sentences(Path(__file__).with_name('ambiguous.txt')))
CHECK = PlanValidator(WorkspaceConfig(), 20)
LOOKS = re.compile(r'\b(?:re-?)?(?:look|check|see|scan|plan|think|observe)', re.IGNORECASE)

KNOWN = {  # these have one meaning, and are asked about
    'many: make a tower: white, then blue, then red',
    'toys: Put the balls in the white bowl, but not the purple one. That one goes in the black '
    'bowl.'}


def silent(body):
    """A model that never asks: it takes the first thing it sees."""
    scene = read_request(body).scene
    first = next(o.name for o in scene.objects if o.movable)
    return [('set_goal', {'goals': [{'predicate': 'holding', 'object': first}]}),
            ('pick', {'object': first})]


def kinds(rules, asks: bool = True) -> dict[Sentence, ReplyKind]:
    """How the planner answers each sentence of the table, with this model over HTTP."""
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    with FakeModelServer(rules=rules) as server:
        client = ChatClient(VLMConfig(server.base_url, 'fake-model'), {})
        planner = VLMPlanner(client, CHECK, build_reader(), asking=Asking('tools', asks=asks))
        found = {case: planner.plan(PlanRequest(case.text, SCENES[case.scene], SKILLS),
                                    Context()).kind for case in TABLE}
        client.close()
    return found


def test_there_are_enough_of_them():
    assert sum(case.wanted == 'ask' for case in TABLE) >= 20
    assert sum(case.wanted == 'plan' for case in TABLE) >= 20


@pytest.mark.parametrize('rules', [silent, RULES], ids=['a silent model', 'a model that asks'])
def test_the_ambiguous_are_asked_about_and_the_others_are_not(rules):
    wrong = {f'{case.scene}: {case.text}': kind.value for case, kind in kinds(rules).items()
             if (kind is ReplyKind.ASK) != (case.wanted == 'ask')}
    assert wrong == {}


def test_without_the_setting_a_model_may_choose():
    assert ReplyKind.ASK not in kinds(silent, asks=False).values()


def test_sentences_with_one_meaning_are_not_asked_about():
    # test_sentences.py reads all of them. A refusal may be a question only after a look.
    cases = [case for number, case in enumerate(all_sentences()) if not case.is_refused
             and (number % 10 == 0 or LOOKS.search(case.text))]
    asked = [f'{case.scene}: {case.text}' for case in cases
             if question_in_words(PlanRequest(case.text, SCENES[case.scene], SKILLS),
                                   build_reader(case.viewpoint))]
    assert set(asked) - KNOWN == set()
