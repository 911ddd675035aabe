# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plan must use the colours that the task names, in any of some languages."""

from __future__ import annotations

import pytest

from replan_agent.domain.plan import PlanRequest, Step
from replan_agent.plan.model.asking.named_colours import missed_colours


@pytest.fixture
def missed(make_scene, skills):
    def missed(task: str, thing: str) -> list[str]:
        steps = (Step(1, 'pick', {'object': thing}), Step(2, 'place_in', {'target': 'bowl'}))
        return [p.detail for p in missed_colours(steps, PlanRequest(task, make_scene(), skills))]

    return missed


@pytest.mark.parametrize('task', ['le cube bleu dans le bol', 'den blauen Würfel in die Schüssel',
                                  'el cubo azul al cuenco', 'the azure one is for soup'])
def test_a_plan_with_another_colour_is_told_which_one_is_named(missed, task):
    assert 'blue' in missed(task, 'red_cube')[0]
    assert missed(task, 'blue_cube') == []


def test_a_colour_of_what_stays_is_not_missed(missed):
    assert missed('alles außer dem blauen Würfel in die Schüssel', 'red_cube') == []


def test_a_colour_that_nothing_has_is_not_missed(missed):
    assert missed('le cube violet dans le bol', 'red_cube') == []


def test_a_colour_inside_another_word_is_none(missed):
    assert missed('the bluest of moods, and the reddish dinner', 'red_cube') == []
