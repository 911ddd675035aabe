# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well chances were told: a right teller, a wrong one, and what nobody could know."""

import numpy as np
import pytest
from replan_agent_chance.chance_numbers import (
    ChanceOutcome,
    calibration_error,
    left,
    numbers,
    reliability,
    sentences,
)


def outcome(chance: float | None, success: bool, *again: bool, decision_s: float = 0.0
            ) -> ChanceOutcome:
    return ChanceOutcome('pick', 0, success, '', success, '', '', cpu_s=2.0, chance=chance,
                         decision_cpu_s=decision_s, repeats=(success, *again))


def many(told: float, worked: float, n: int = 100) -> list[ChanceOutcome]:
    return [outcome(told, k < worked * n) for k in range(n)]


def test_the_calibration_error_is_the_mean_distance_over_bins() -> None:
    assert numbers([*many(0.85, 0.85), *many(0.25, 0.25)]).ece == pytest.approx(0.0)
    assert numbers([*many(0.85, 0.65), *many(0.25, 0.25)]).ece == pytest.approx(0.1)
    # Too high in one bin does not make up for too low in another one.
    assert numbers([*many(0.85, 0.65), *many(0.25, 0.45)]).ece == pytest.approx(0.2)


def test_a_right_teller_has_a_calibration_error_by_luck_and_a_wrong_one_a_larger_one() -> None:
    rng = np.random.default_rng(0)
    told = rng.random(400)
    right = numbers([outcome(float(p), bool(rng.random() < p)) for p in told])
    wrong = numbers([outcome(float(p), bool(rng.random() < p / 2)) for p in told])
    assert right.ece == pytest.approx(right.ece_by_luck, abs=0.03)
    assert wrong.ece > wrong.ece_by_luck + 0.1


def test_who_knows_each_world_has_the_brier_score_that_chance_leaves() -> None:
    rng = np.random.default_rng(0)
    worlds = [(float(p), rng.random(4) < p) for p in rng.random(4000)]
    found = numbers([outcome(p, *map(bool, runs)) for p, runs in worlds])
    assert found.brier == pytest.approx(1 / 6, abs=0.01)  # the mean of p(1-p)
    assert found.left == pytest.approx(found.brier, abs=0.01)
    blind = numbers([outcome(0.5, *map(bool, runs)) for _, runs in worlds])
    assert blind.brier == pytest.approx(0.25) and blind.left == found.left


def test_nothing_is_left_where_a_world_always_ends_alike() -> None:
    assert left([True] * 4) == left([False] * 4) == 0.0
    assert left([True, False]) == pytest.approx(0.5)
    assert left([True]) == 0.0  # one run says nothing of it


def test_the_cost_is_that_of_a_decision_in_times_of_the_task() -> None:
    assert numbers([outcome(0.9, True, decision_s=s) for s in (2.0, 8.0, 40.0)]).cost == 4.0


def test_tasks_without_a_chance_are_counted_apart() -> None:
    some = [*many(1.0, 1.0, 10), outcome(None, False)]
    assert numbers(some).ece == 0.0 and numbers([outcome(None, False)]) == numbers([])
    assert '1 tasks have no chance' in sentences(some)
    line, = reliability(some)
    assert (line['n'], line['told'], line['worked'], line['high']) == (10, 1.0, 1.0, 1.0)


def test_a_chance_of_1_is_in_the_last_bin() -> None:
    assert calibration_error(np.array([1.0, 0.95]), np.array([1.0, 0.0])) == pytest.approx(0.475)
