# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When enough twins have run, and what their outcomes say."""

import math
import re
from functools import partial

import numpy as np
import pytest
from replan_agent_chance.chance import Collected, sampled, what_matters
from replan_agent_chance.sampled_twin import Ran
from replan_agent_chance.sampling import MOST, MOST_TO_DECIDE, Prior, checked_mark, decided, is_at

from replan_agent.domain.config import ConfigError
from replan_agent.domain.plan import Plan, PlanCause, Step

JEFFREYS = Prior(0.5, 0.5)  # as in covered.yaml

PLAN = Plan(1, 'put it there', (Step(1, 'pick', {'object': 'cube'}),
                                Step(2, 'place_on', {'target': 'bowl'})), (), PlanCause.INITIAL,
            None, 'scene-1', 'search')


def ran(worked: bool, done: int = 0, **draws: float) -> Ran:
    return Ran(2, '', draws) if worked else Ran(done, 'grasp_missed', draws)


def ran_after(bad: int, number: int) -> Ran:
    return ran(number >= bad)


def test_a_plan_that_works_in_every_twin_is_at_the_mark_after_four() -> None:
    assert [decided(n, 0, 0.9) for n in range(5)] == [None, None, None, None, True]


def test_a_plan_that_fails_twice_is_far_below_the_mark() -> None:
    assert decided(0, 2, 0.9) is False


def test_seven_twins_always_decide() -> None:
    assert all(decided(k, MOST_TO_DECIDE - k, 0.9) is not None for k in range(MOST_TO_DECIDE + 1))


@pytest.mark.parametrize(('chance', 'at_mark'), [(0.9, True), (0.5, False)])
def test_a_decision_is_wrong_in_about_one_of_ten(chance: float, at_mark: bool) -> None:
    rng, right = np.random.default_rng(1), 0
    for _ in range(2000):
        worked = failed = 0
        while (found := decided(worked, failed, 0.9)) is None:
            good = bool(rng.random() < chance)
            worked, failed = worked + good, failed + (not good)
        right += found is at_mark
    assert right / 2000 > 0.85


def test_the_chance_is_the_posterior_mean_and_lies_in_its_interval() -> None:
    prior = Prior(2.0, 1.0)
    low, high = prior.interval(6, 3)
    assert prior.chance(6, 3) == pytest.approx(8 / 12)
    assert low < 8 / 12 < high


def test_the_interval_of_a_flat_prior_holds_its_share() -> None:
    low, high = Prior().interval(0, 0)
    assert (low, high) == pytest.approx((0.025, 0.975))


def test_twins_stop_when_the_interval_that_is_told_is_narrow() -> None:
    for bad, twins in ((0, range(MOST, 17)), (3, range(20, 60))):  # never sooner than usual
        chance = sampled(PLAN, partial(ran_after, bad), JEFFREYS, most=100)
        assert chance.twins in twins and chance.high - chance.low <= 0.2


def test_the_usual_number_of_twins_always_runs_without_a_mark() -> None:
    for bad in range(MOST + 1):
        assert sampled(PLAN, partial(ran_after, bad), JEFFREYS).twins == MOST


def test_each_step_counts_only_the_twins_that_came_to_it() -> None:
    every = [ran(True), ran(False, 0), ran(False, 1), ran(True)]
    chance = sampled(PLAN, lambda n: every[n], Prior(), most=4)
    assert [(s.worked, s.of) for s in chance.steps] == [(3, 4), (2, 3)]


def test_each_step_has_a_chance_and_its_interval_where_the_plan_has_one() -> None:
    chance = sampled(PLAN, partial(ran_after, 4), JEFFREYS)
    for step in chance.steps:
        assert step.value == JEFFREYS.chance(step.worked, step.of - step.worked)
        assert (step.low, step.high) == JEFFREYS.interval(step.worked, step.of - step.worked)
    assert re.search(r'pick\(object=cube\): works in \d+ of 100 tries \(\d+ to \d+; worked in '
                     r'\d+ of 16\)', chance.steps[0].said)
    stopped = sampled(PLAN, lambda n: ran(False, 0), JEFFREYS, mark=0.9)
    assert stopped.value is stopped.steps[0].value is None
    assert stopped.steps[0].said == 'pick(object=cube): worked in 0 of 2'
    never = sampled(PLAN, lambda n: ran(False, 0), JEFFREYS)
    assert never.steps[1].value is None and never.steps[1].said.endswith('no twin came to it')


@pytest.mark.parametrize('mark', [0.001, 0.01, 0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize('worked', range(MOST + 1))
def test_no_plan_is_below_a_mark_with_a_higher_chance(mark: float, worked: int) -> None:
    for bad_first in (True, False):
        every = [ran(n >= MOST - worked if bad_first else n < worked) for n in range(MOST)]
        found = Collected(JEFFREYS, mark)
        found.take(every)
        told = JEFFREYS.chance(found.worked, found.failed)
        assert found.is_at(mark) is (told >= mark)


def test_failures_are_told_with_how_often_they_happen() -> None:
    every = [ran(False, 1), ran(False, 1), ran(True), ran(False, 0)]
    chance = sampled(PLAN, lambda n: every[n], Prior(), most=4)
    assert [(f.what, f.times) for f in chance.failures] == [
        ('place_on(target=bowl): grasp missed', 2), ('pick(object=cube): grasp missed', 1)]
    assert 'grasp missed in 2 of 4' in chance.said


def test_what_matters_is_what_differs_between_good_and_bad_twins() -> None:
    rng = np.random.default_rng(0)
    far = [float(x) for x in rng.random(30)]
    told = [ran(x < 0.5, where=x, colour=float(rng.random())) for x in far]
    assert what_matters(told) == 'where'


def test_nothing_matters_if_nothing_failed() -> None:
    assert what_matters([ran(True, where=float(n)) for n in range(20)]) == ''


def test_another_number_of_processes_would_stop_at_the_same_twin() -> None:
    alone, many = Collected(Prior(), 0.9), Collected(Prior(), 0.9)
    every = [ran(n != 1) for n in range(16)]
    alone.take(every)
    for one in every:  # as they come, in their order
        if many.take([one]):
            break
    assert alone.ran == many.ran and math.isclose(
        alone.chance(PLAN).value or 0, many.chance(PLAN).value or 1)


@pytest.mark.parametrize('mark', [0.001, 0.01, 0.1, 0.4, 0.41, 0.6, 0.99, 1.0])
def test_twins_that_all_work_or_all_fail_decide_at_any_mark(mark: float) -> None:
    assert decided(MOST_TO_DECIDE, 0, mark) is True
    assert decided(0, MOST_TO_DECIDE, mark) is False


def test_a_chance_is_at_the_mark_only_if_it_is_told_so_high() -> None:
    flat = Prior()
    assert is_at(0.9, 4, 0, flat) is None  # rather at it, but told as 5 of 6
    assert is_at(0.9, 8, 0, flat) is True
    assert is_at(0.9, MOST - 1, 1, flat) is False
    assert is_at(0.9, 0, 2, flat) is False


@pytest.mark.parametrize(('bad', 'at_mark'), [((), True), ((0,), False), ((0, 1), False)])
def test_no_plan_is_at_a_mark_with_a_lower_chance(bad: tuple[int, ...], at_mark: bool) -> None:
    found = Collected(Prior(), 0.9)
    found.take(ran(n not in bad) for n in range(16))
    assert found.is_at(0.9) is at_mark
    assert (Prior().chance(found.worked, found.failed) >= 0.9) is at_mark


def test_a_decision_that_stopped_early_tells_its_side_and_no_number() -> None:
    good = sampled(PLAN, lambda n: ran(True), JEFFREYS, mark=0.9)
    bad = sampled(PLAN, lambda n: ran(False), JEFFREYS, mark=0.9)
    assert good.at_mark is True and bad.at_mark is False
    assert good.value is good.low is good.high is bad.value is None
    assert good.said == ('seems to work in at least 90 of 100 tries (stopped after 4 twins, '
                         '4 worked)')
    assert bad.said.startswith('seems to work in fewer than 90 of 100 tries (stopped after 2')


def test_with_a_mark_a_number_is_told_only_if_it_is_the_one_without() -> None:
    rng, told = np.random.default_rng(0), 0
    for _ in range(200):
        every = [ran(bool(rng.random() < 0.93)) for _ in range(MOST)]
        marked = sampled(PLAN, every.__getitem__, JEFFREYS, mark=0.95)
        if marked.value is not None:
            told += 1
            assert marked.value == sampled(PLAN, every.__getitem__, JEFFREYS).value
            assert 'the mark of 0.95' in marked.said
    assert 0 < told < 200


@pytest.mark.parametrize(('mark', 'most', 'why'), [
    (0.9, 3, '0.9 needs 7 twins, and at most 3 run'), (0.98, 16, '0.98 needs 24 twins'),
    (1, 1000, 'no number of twins'), (1.5, 16, 'outside the allowed range 0 to 1'),
    (-0.1, 16, 'outside the allowed range'), (math.nan, 16, 'outside the allowed range')])
def test_a_mark_that_twins_cannot_decide_is_refused(mark: float, most: int, why: str) -> None:
    with pytest.raises(ConfigError, match=f'there: .*{why}'):
        checked_mark(mark, 'there', JEFFREYS, most)


@pytest.mark.parametrize('mark', [0.001, 0.1, 0.5, 0.9, 0.95, 0.97])
def test_a_mark_that_is_allowed_is_always_decided(mark: float) -> None:
    assert checked_mark(mark, 'there', JEFFREYS) == mark
    least = next(most for most in range(1, 17) if _allowed(mark, most))
    for worked in range(least + 1):
        assert is_at(mark, worked, least - worked, JEFFREYS, least) is not None
    assert is_at(mark, least, 0, JEFFREYS, least) is True


def _allowed(mark: float, most: int) -> bool:
    try:
        return checked_mark(mark, 'there', JEFFREYS, most) == mark
    except ConfigError:
        return False


def test_no_mark_is_a_mark_of_0() -> None:
    assert checked_mark(0.0, 'there', JEFFREYS, 1) is None
