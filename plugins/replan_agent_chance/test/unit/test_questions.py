# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many questions it takes until few plans fail that nobody was asked about."""

import pytest
from replan_agent_chance.chance_numbers import ChanceOutcome
from replan_agent_chance.questions import asked_for, curve, questions


def outcome(success: bool, chance: float, risk: float = 0.0) -> ChanceOutcome:
    return ChanceOutcome('pick', 0, success, '', success, '', '', chance=chance, risk=risk)


GOOD, BAD = [outcome(True, 0.95)] * 8, [outcome(False, 0.3)] * 2


def test_questions_about_the_unlikely_plans_first_find_the_failures() -> None:
    assert curve(GOOD + BAD, [o.chance or 0 for o in GOOD + BAD]) == [
        (0.0, 0.8), (0.2, 1.0), (1.0, 1.0)]


def test_plans_that_are_alike_are_asked_about_at_random() -> None:
    assert asked_for(0.9, curve(GOOD + BAD, [0.0] * 10)) == pytest.approx(0.5)


def test_both_ways_to_ask_are_compared_at_the_same_share_of_failures() -> None:
    line = next(line for line in questions(GOOD + BAD) if line.without_a_failure == 0.9)
    assert (line.by_chance, line.by_risk) == (pytest.approx(0.1), pytest.approx(0.5))


def test_a_share_that_is_reached_without_a_question_is_left_out() -> None:
    assert questions(GOOD) == []


def test_the_riskiest_are_asked_about_first() -> None:
    risky = [outcome(False, 0.9, risk=0.6), *[outcome(True, 0.9, risk=0.1)] * 3]
    assert questions(risky)[-1].by_risk <= 0.25
