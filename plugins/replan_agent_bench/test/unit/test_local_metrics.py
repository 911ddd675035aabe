# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The metrics of local planning, counted from records."""

from __future__ import annotations

from replan_agent_bench.suites.local_metrics import local_metrics

from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption, LocalRecord
from replan_agent.domain.plan import Step


def record(*decisions: Decision, solved: bool, reverted: bool = False) -> LocalRecord:
    nodes = tuple(LocalNode(f'1.{k}', LocalOption(f'o{k}', 'kind'), 1.0, 2.0, True, decision,
                            reverted=reverted and decision is Decision.REVERT)
                  for k, decision in enumerate(decisions, 1))
    return LocalRecord(1, Step(1, 'pick'), 'goal', nodes, solved, '')


def test_rates_are_of_the_plannings_that_tried_something():
    found = local_metrics([
        record(Decision.SUCCESS, solved=True),
        record(Decision.EXPLORE, Decision.RETAIN, Decision.SUCCESS, solved=True),
        record(Decision.EXPLORE, Decision.REVERT, solved=False, reverted=True),
        record(Decision.RETAIN, Decision.CANCEL, solved=False),
        record(solved=False)])
    assert found.plannings == 4 and found.solved_share == 0.5
    assert found.iterations_to_goal == 2.0  # (1 + 3) / 2
    assert found.revert_share == 0.25 and found.cancel_share == 0.25
    assert found.exploration_success == 0.5


def test_searches_without_options_and_all_decisions_are_counted():
    solved = record(Decision.RETAIN, Decision.RETAIN, Decision.SUCCESS, solved=True)
    found = local_metrics([record(solved=False), record(solved=False), solved])
    assert found.plannings == 1 and found.without_options == 2
    assert found.decisions == {'SUCCESS': 1, 'CANCEL': 0, 'RETAIN': 2, 'EXPLORE': 0, 'REVERT': 0}


def test_a_revert_that_was_only_decided_is_not_counted_as_done():
    assert local_metrics([record(Decision.REVERT, solved=False)]).revert_share == 0


def test_without_plannings_there_are_no_rates():
    assert local_metrics([]).as_dict() == {
        'plannings': 0, 'without_options': 0, 'solved_share': None,
        'decisions': {decision.value: 0 for decision in Decision}, 'iterations_to_goal': None,
        'revert_share': None, 'exploration_success': None, 'cancel_share': None}
