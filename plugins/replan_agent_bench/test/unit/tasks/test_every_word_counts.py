# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Words that nobody reads are not ignored: a sentence with one more means something else, or
nothing.

Words are put in at random places of the sentences of the tables. Each result is refused, asked
about, or has other goals. Only harmless words ("please", "now") may change nothing.
"""

from __future__ import annotations

import random
import re

import pytest
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import Sentence, all_sentences

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.orders import final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.english.readings import readings
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
PLACES = 20  # for each phrase: so many sentences, a random place in each
ADDED = (
    'not', 'never', 'no', 'nothing', 'nobody', 'except the flurble', 'but not the flurble',
    'only if it rains', 'unless it is dirty', 'if anna says so', 'until i say stop', 'seven',
    'seven of', 'half of', 'most of', 'some of', 'turquoise', 'flurble', 'the flurble',
    'and the flurble', 'or the flurble', 'heavy', 'which is heavy',
    'before 5 pm', 'at noon', 'tomorrow', 'in five minutes', 'every day', 'twice', 'two times',
    'later', 'with your left hand', 'with the tongs', 'without the lid', 'without looking',
    'the wrong way', 'upside down', 'diagonally', 'on its side', 'under the table', 'outside',
    'in the kitchen', 'as high as possible', 'more', 'less', 'nearly', 'pretend to', 'stop',
    'cancel', 'said anna', 'no wait', 'i mean the flurble', 'instead of the flurble', 'nine')
HARMLESS = ('please', 'now', 'carefully', 'slowly', 'just', 'kindly', 'already')


def _is_plain(case: Sentence) -> bool:
    """Whether it is read as it is. In a branch that is not taken, words are free."""
    conditional = re.search(r'\b(?:if|unless|until|otherwise)\b', case.text.lower())
    return case.table in ('first', 'newcomers') and not case.is_refused and not conditional


PLAIN = tuple(filter(_is_plain, all_sentences()))


def _with(words: str, case: Sentence, rng: random.Random) -> str:
    """The sentence with the words at a random place, with or without commas."""
    said = case.text.rstrip('.!?').split()
    at = rng.randrange(len(said) + 1)
    left, right = rng.choice(((' ', ' '), (' ', ' '), (', ', ', '), (', ', ' ')))
    before, after = ' '.join(said[:at]), ' '.join(said[at:])
    return (before + (left if before else '') + words + (right + after if after else ''))


def _meaning(case: Sentence, text: str) -> object:
    """The goals, the movements and what is left alone; None if it is refused or asked about."""
    search = Search(SKILLS)
    try:
        readings(text)  # the quick part first
        reading = SearchPlanner(build_reader(case.viewpoint)).read(
            PlanRequest(text, SCENES[case.scene], SKILLS), search)
    except (NotUnderstood, Open, Unclear):
        return None
    if reading.refusal is not None:
        return None
    return (final_goals(reading.orders, SCENES[case.scene]),
            [order.movement for order in reading.orders], reading.left_alone)


@pytest.mark.parametrize('words', ADDED)
def test_no_word_is_ignored(words: str) -> None:
    rng = random.Random(words)
    ignored = []
    for case in rng.sample(PLAIN, PLACES):
        text = _with(words, case, rng)
        meaning = _meaning(case, text)
        same = meaning is not None and meaning == _meaning(case, case.text)
        if same:
            ignored.append(f'{case.scene}: {text}')
    assert ignored == []


@pytest.mark.parametrize('words', HARMLESS)
def test_a_harmless_word_changes_nothing(words: str) -> None:
    case = Sentence('tabletop', 'put the red cube in the bowl', '')
    assert _meaning(case, f'{words} {case.text}') == _meaning(case, case.text)
