# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a verdict is worth."""

from __future__ import annotations

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_trouble import CAUSES
from replan_agent_trouble.baselines import WORD_OF
from replan_agent_trouble.causes import checked_cause
from replan_agent_trouble.score import Claim, Score
from replan_agent_trouble.trouble_suite import TroubleOutcome, counted, numbers

from replan_agent import Cause, ConfigError


def score(solvable: bool, done: bool, claim: Claim, told: str = '', met: bool = True) -> Score:
    return Score('heavy', 1, solvable, done, '' if done else 'it lies there', claim, told,
                 frozenset({'too_heavy'}), met, 3, 2.0, 0.1, ())


@pytest.mark.parametrize(('solvable', 'done', 'claim', 'right', 'false'), [
    (True, True, Claim.DONE, True, False),
    (True, True, Claim.NOTHING, True, False),
    (True, False, Claim.DONE, False, True),
    (True, False, Claim.IMPOSSIBLE, False, True),
    (False, False, Claim.IMPOSSIBLE, True, False),
    (False, False, Claim.NOTHING, False, False),
    (False, False, Claim.DONE, False, True)])
def test_a_claim_is_compared_with_what_is_so(solvable: bool, done: bool, claim: Claim, right: bool,
                                             false: bool) -> None:
    found = score(solvable, done, claim)
    assert (found.right, found.false_claim) == (right, false)


def test_a_cause_is_asked_for_where_the_trouble_won_and_judged_where_it_is_told() -> None:
    silent_loss = score(False, False, Claim.NOTHING)
    assert silent_loss.asked and not silent_loss.cause_right
    assert not score(True, True, Claim.DONE).asked
    assert not score(True, False, Claim.NOTHING, met=False).asked
    assert score(True, True, Claim.DONE, 'too_heavy').cause_right
    assert score(True, True, Claim.DONE, 'locked').asked
    assert not score(True, True, Claim.DONE, 'locked').cause_right


def test_a_wrong_word_is_answered_with_the_right_ones() -> None:
    with pytest.raises(ConfigError, match='too_heavy, too_wide'):
        checked_cause('heavy')


def test_each_cause_of_ours_is_told_in_a_word_of_the_benchmark() -> None:
    assert set(WORD_OF.values()) <= set(CAUSES)
    assert set(WORD_OF) - {'perception_lost'} <= {cause.value for cause in Cause}


def test_an_impossible_task_whose_trouble_did_not_come_about_does_not_count() -> None:
    outcomes = [TroubleOutcome.of(Job('trouble', 'heavy_never', 1, 'whole'), each) for each in (
        score(False, True, Claim.DONE, met=False), score(False, False, Claim.IMPOSSIBLE),
        score(True, False, Claim.IMPOSSIBLE))]
    found = numbers(outcomes)
    assert len(counted(outcomes)) == 2
    assert (found.impossible, found.found, found.solvable, found.wrong) == (1, 1, 1, 1)
