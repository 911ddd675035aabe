# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the goal of a task's file says, and whether a reading says the same."""

from __future__ import annotations

import pytest
from replan_agent_libero.reading import meant_by, plainly, verdict

from replan_agent.domain.goal import Goal, Predicate

CALLED = {'bowl_1': 'black_bowl', 'cabinet_1': 'cabinet', 'stove_1': 'stove',
          'cabinet_1_top_region': 'cabinet_top_drawer', 'plate_1': 'plate'}


def test_the_goal_of_a_file_is_told_in_our_names():
    text = """(:init (On bowl_1 table_region)) (:goal
        (And (Open cabinet_1_top_region) (Turnon stove_1) (In bowl_1 cabinet_1_top_region)
             (On bowl_1 cabinet_1_top_side)))"""
    assert meant_by(text, CALLED) == [
        ('open', 'cabinet_top_drawer'), ('on', 'stove'),
        ('at', 'black_bowl', 'cabinet_top_drawer'), ('at', 'black_bowl', 'cabinet')]


def test_on_and_in_are_one_and_a_denial_is_another():
    there = Goal(Predicate.IN, 'bowl', 'drawer')
    assert plainly(there) == plainly(Goal(Predicate.ON, 'bowl', 'drawer')) == (
        'at', 'bowl', 'drawer')
    assert plainly(Goal(Predicate.IN, 'bowl', 'drawer', negated=True)) != plainly(there)
    assert plainly(Goal(Predicate.IS, 'stove', state='on')) == ('on', 'stove')


AT, OPEN = ('at', 'bowl', 'drawer'), ('open', 'drawer')


@pytest.mark.parametrize(('read', 'meant', 'said'), [
    ([], [AT], 'not read'), ([AT], [AT], 'as meant'), ([AT, OPEN], [OPEN, AT], 'as meant'),
    ([OPEN, AT], [AT], 'as meant'),  # the words say how, and the file does not ask
    ([AT], [AT, OPEN], 'otherwise'), ([AT, ('at', 'milk', 'drawer')], [AT], 'otherwise'),
    ([('at', 'milk', 'drawer')], [AT], 'otherwise'),
    ([('left_of(bowl, plate)',)], [('at', 'bowl', 'table_left_region')], 'otherwise')])
def test_a_reading_is_as_meant_if_it_has_all_and_moves_nothing_else(read, meant, said):
    assert verdict(read, meant) == said
