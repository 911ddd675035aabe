# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The memory benchmark: what it draws and how it counts."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.report.suite_table import suite_table
from replan_agent_bench.running.kept import kept
from replan_agent_bench.suite import find
from replan_agent_bench.suites.memory_episode import OILY, OILY_KG, ROWS, MemoryOutcome
from replan_agent_bench.suites.memory_suite import MEMORY, memory_numbers, tries_per_success
from rich.console import Console

from replan_agent.domain.config import Config


def met(which: str, picks: int, success: bool = True, seed: int = 0) -> MemoryOutcome:
    return MemoryOutcome('slippery', seed, success, '', success, 'plan_complete', '', which,
                         picks=picks)


def test_picks_of_failed_meetings_count_against_the_successes():
    value, low, high = tries_per_success([met('first', 2), met('first', 4, success=False)])
    assert value == 6.0 and low <= value <= high


def test_without_a_success_the_price_is_infinite():
    value, _, high = tries_per_success([met('first', 3, success=False)])
    assert math.isinf(value) and math.isinf(high)


def test_equal_lives_have_no_spread():
    assert tries_per_success([met('second', 1)] * 5) == (1.0, 1.0, 1.0)


def test_the_interval_covers_the_value_and_narrows_with_more_lives():
    few = tries_per_success([met('first', 1), met('first', 3)] * 3)
    many = tries_per_success([met('first', 1), met('first', 3)] * 50)
    assert few[0] == many[0] == 2.0
    assert few[1] < 2.0 < few[2] and many[2] - many[1] < few[2] - few[1]


def test_a_row_has_a_line_for_each_meeting_and_fits_80_columns():
    meetings = [column.name for column in MEMORY.columns]
    lines = MEMORY.summaries([met(which, 1, seed=seed) for seed in range(40)
                              for which in meetings])
    assert [line.column for line in lines] == meetings
    out = io.StringIO()
    Console(file=out, width=80).print(suite_table(MEMORY, lines))
    assert '…' not in out.getvalue()


def test_force_and_time_are_counted_beside_picks():
    numbers = memory_numbers([replace(met('alike', 1), force_n=40.0, robot_s=2.0),
                              replace(met('alike', 1), force_n=60.0, robot_s=4.0)])
    assert (numbers.force_n, numbers.robot_mean_s) == (50.0, 3.0)


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row.name)
def test_the_look_alike_has_the_looks_and_the_name_of_the_trouble_but_is_ordinary(row):
    trouble, *_ = row.draw(np.random.default_rng(1))(np.random.default_rng(2))
    (alike,) = row.alike(np.random.default_rng(3))
    assert (alike.name, alike.shape, alike.size, alike.colour) == (
        trouble.name, trouble.shape, trouble.size, trouble.colour)
    assert alike.friction != OILY and alike.mass < OILY_KG[0]


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row.name)
def test_a_thing_stays_the_same_and_its_place_is_new(row):
    put = row.draw(np.random.default_rng(1))
    once, again = (put(np.random.default_rng(seed)) for seed in (2, 3))
    assert [(o.size, o.mass, o.friction) for o in once] == [
        (o.size, o.mass, o.friction) for o in again]
    assert math.dist(once[0].position[:2], again[0].position[:2]) > 0.01


def test_panes_are_clear_fixed_and_leave_no_room_for_a_finger():
    bar, *panes = find(ROWS, 'blocked').draw(np.random.default_rng(0))(
        np.random.default_rng(1))
    assert len(panes) == 2 and not bar.unseen
    for pane in panes:
        assert pane.unseen and pane.fixed
        away = math.dist(bar.position[:2], pane.position[:2]) - bar.size[1] / 2 - pane.size[1] / 2
        assert 0.01 < away < 0.02


def test_a_run_that_goes_on_has_all_look_alikes_once(tmp_path):
    def lives(config, jobs):
        for job in jobs:
            yield [met(column.name, 1, seed=job.seed) for column in MEMORY.columns
                   for _ in range(8 if column.name == 'alike' else 1)]

    file, jobs = tmp_path / 'kept.jsonl', [Job('memory', 'slippery', seed) for seed in range(3)]
    list(kept(lives, MEMORY, file)(Config(), jobs[:2]))
    cut = file.read_text().splitlines()
    file.write_text('\n'.join(cut[:-11]))  # of the second life only the first meeting is left
    list(kept(lives, MEMORY, file)(Config(), jobs))
    found = [o for part in kept(None, MEMORY, file)(Config(), jobs) for o in part]
    assert [line.n for line in MEMORY.summaries(found)] == [3, 3, 3, 3, 24]
