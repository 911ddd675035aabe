# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outcomes become rows of numbers, sentences, JSON and a picture."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_bench.all_suites import SUITES, find_suite
from replan_agent_bench.report.json_report import suite_report, write_json
from replan_agent_bench.report.suite_plot import check_plotting, write_plot
from replan_agent_bench.report.suite_table import flaw_lines, suite_table
from replan_agent_bench.suites.motion_episode import Disturbed, Failed
from replan_agent_bench.suites.motion_suite import MOTION, PERCEPTION, flaws
from replan_agent_bench.worlds.watch import Contact
from rich.console import Console

from replan_agent.domain.config import ConfigError

HIT = Contact('leftfinger', 'blue_cube', 1.25, 0.05, 3.4)


@pytest.fixture
def mixed(outcome):
    """Ten episodes, two of which failed; one of the failures was claimed as a success."""
    return [
        *(outcome(k, wall_s=0.1 * (k + 1)) for k in range(6)),
        outcome(6, contacts=(HIT,), disturbed=(Disturbed('blue_cube', 0.012),)),
        outcome(7, peak_speed=1.02, replans=1,
                attempts=(Failed('pick', 'grasp_missed', 'closed to 0.0 mm'),)),
        outcome(8, success=False, claimed=True),
        outcome(9, success=False, final_detail='pick failed: path_blocked — by wall', replans=3),
    ]


def test_a_row_counts_what_happened_in_it(mixed):
    [s] = MOTION.summaries(mixed)
    assert (s.n, s.successes, s.false_successes, s.own.replans) == (10, 8, 1, 4)
    assert (s.own.with_contact, s.own.with_disturbed, s.own.over_limit) == (1, 1, 1)
    assert s.own.peak_speed == 1.02 and s.own.reasons == {'grasp_missed': 1}
    assert (s.low, s.high) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert s.meets_bar is False and s.wall_median_s == pytest.approx(0.2)


def test_a_summary_has_the_distance_between_seen_and_true_target(outcome):
    seen = [outcome(k, seen_off_m=0.001 * k) for k in range(5)]
    [s] = PERCEPTION.summaries([*seen, outcome(5, success=False),
                                outcome(6, claimed=False, seen_off_m=0.002)])
    assert (s.own.unnamed, s.denied) == (1, 1)
    assert (s.own.seen_median_mm, s.own.seen_p95_mm) == pytest.approx((2.0, 3.75))
    [nothing] = PERCEPTION.summaries([outcome(0)])
    assert nothing.own.seen_median_mm is None and nothing.own.unnamed == 1


def test_the_perception_table_fits_80_columns_and_shows_the_distance(outcome):
    seen = [outcome(k, row=row, seen_off_m=0.0123, wall_s=12.3) for row in ('bar', 'bar-noisy')
            for k in range(100)]
    text = io.StringIO()
    Console(file=text, width=80).print(suite_table(PERCEPTION, PERCEPTION.summaries(seen)))
    table = text.getvalue()
    assert '…' not in table and 'bar 24×110 mm, noisy' in table and '12.3–12.3' in table


def test_the_realtime_factor_is_of_all_seconds_together(outcome):
    [s] = MOTION.summaries([outcome(0, wall_s=0.1), outcome(1, wall_s=0.5)])
    assert s.own.realtime == pytest.approx(10.0)


def test_rows_without_episodes_have_no_line(outcome):
    lines = MOTION.summaries([outcome(0, row='wall'), outcome(0)])
    assert [s.row for s in lines] == ['cube40', 'wall']


def test_flaws_are_sentences_and_a_clean_success_has_none(mixed):
    assert flaws(mixed[0]) == []
    assert flaws(mixed[6]) == ['touched: leftfinger–blue_cube at 1.25 s (3.4 N)',
                               'moved blue_cube by 12 mm']
    assert flaws(mixed[7]) == ['a joint moved at 1.02 of its speed limit']
    assert flaws(mixed[8]) == ['claimed success, but red_cube is 0 mm above the table']
    assert 'path_blocked — by wall' in flaws(mixed[9])[0]


def test_a_success_that_the_agent_denies_is_a_flaw_too(outcome):
    denied = outcome(claimed=False, final_reason='goal_not_met')
    assert flaws(denied)[0].startswith('done, but reported as failed: goal_not_met')


def test_each_flaw_is_listed_with_its_seed_and_one_with_how_to_see_it(mixed, outcome):
    lines = flaw_lines(MOTION, mixed)
    assert [line.split(':')[0] for line in lines[:4]] == [
        f'cube40 seed {seed}' for seed in (6, 7, 8, 9)]
    assert lines[-1].endswith('bench --suite motion --rows cube40 --seed 6 --n 1 '
                              '--video cube40-6.mp4')
    many = [outcome(k, success=False) for k in range(MOTION.shown_flaws + 5)]
    assert 'cube40: 5 more (all are in --json)' in flaw_lines(MOTION, many)
    assert flaw_lines(MOTION, mixed[:6]) == []


def test_the_table_fits_80_columns(mixed):
    text = io.StringIO()
    lines = MOTION.summaries([*mixed, *_renamed(mixed, 'moved'), *_renamed(mixed, 'bar')])
    Console(file=text, width=80).print(suite_table(MOTION, lines))
    assert '…' not in text.getvalue()
    assert 'bar 24×110 mm' in text.getvalue() and '49.0–94.3' in text.getvalue()


def _renamed(outcomes, row):
    return [replace(o, row=row, wall_s=12.3) for o in outcomes]


def test_the_json_holds_rows_episodes_versions_and_where_they_ran(tmp_path, mixed):
    path = tmp_path / 'deep' / 'bench.json'
    lines = MOTION.summaries(mixed)
    write_json(path, suite_report(MOTION, 5, '2 processes', lines, mixed, complete=False))
    read = json.loads(path.read_text())
    assert read['suite'] == 'motion' and read['seed'] == 5 and read['complete'] is False
    assert read['versions']['mujoco'] and read['machine']['cores'] >= 1
    assert read['rows'][0]['rate'] == 0.8 and read['episodes_on'] == {'here': 10}
    assert [e['seed'] for e in read['episodes']] == list(range(10))
    assert read['episodes'][6]['contacts'][0]['second'] == 'blue_cube'
    assert read['episodes'][8]['false_success'] is True
    assert list(tmp_path.rglob('*.part')) == []


@pytest.mark.parametrize('name', SUITES)
def test_the_plot_of_every_suite_names_its_rows_panels_and_columns(tmp_path, name):
    pytest.importorskip('matplotlib', reason="pip install 'replan_agent_bench[plot]'")
    suite = find_suite(name)
    outcomes = [suite.outcome(row.name, seed, seed > 0, '', True, 'plan_complete', '', column.name)
                for row in suite.rows for column in suite.columns for seed in range(2)]
    path = tmp_path / 'bench.svg'
    write_plot(path, 'a title', suite, suite.summaries(outcomes))
    drawn = path.read_text('utf-8')
    for text in ('a title', suite.rows[-1].title, *(panel.label for panel in suite.panels),
                 *(column.label for column in suite.columns if column.label)):
        assert f'<!-- {text}' in drawn


def test_without_matplotlib_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    with pytest.raises(ConfigError, match=r"pip install 'replan_agent_bench\[plot\]'"):
        check_plotting(Path('x.png'))


def test_outcomes_are_equal_except_for_the_clock(outcome):
    a, b = outcome(1, wall_s=0.1, machine='a'), outcome(1, wall_s=0.9, machine='b')
    assert a != b and a.without_clock() == b.without_clock()
    assert a.without_clock() != outcome(1, robot_s=3.1).without_clock()
