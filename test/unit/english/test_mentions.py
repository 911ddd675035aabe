# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The objects that a task mentions, so that a model can be asked where they are."""

from __future__ import annotations

import pytest

from replan_agent.domain.refusals import NotUnderstood
from replan_agent.english.reader import EnglishReader


@pytest.mark.parametrize(('task', 'things'), [
    ('put the lemon in the bowl', ('the lemon', 'the bowl')),
    ('pick up the mug and put it on the red cube, then go home', ('the mug', 'the red cube')),
    ('stack the mug on the plate, then put the mug in the bin',
     ('the mug', 'the plate', 'the bin')),
    ('go home', ()),
])
def test_each_object_is_mentioned_once_and_pronouns_are_left_out(task, things):
    assert EnglishReader().mentions(task) == things


def test_a_sentence_outside_the_grammar_mentions_nothing():
    with pytest.raises(NotUnderstood):
        EnglishReader().mentions('juggle the lemon')
