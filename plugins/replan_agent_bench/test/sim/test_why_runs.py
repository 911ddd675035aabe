"""Lasting troubles on real physics: what is said is true, and the log shows what happened."""

from __future__ import annotations

import pytest
from replan_agent_bench.command import bench_settings
from replan_agent_bench.outcome import Job
from replan_agent_bench.suites.why_episode import Advice, run_why


@pytest.mark.parametrize('kind', ['beyond', 'occupied', 'stuck'])
def test_a_lasting_trouble_is_told_truly_and_the_advice_helps(kind):
    found, = run_why(bench_settings(), Job('why', kind, 0, 'ground_truth'))
    assert not found.claimed and found.right and found.untrue == ()
    assert found.advice is Advice.HELPED


def test_a_thing_that_is_glued_to_the_table_stays_there():
    found, = run_why(bench_settings(), Job('why', 'glued', 0, 'ground_truth'))
    assert 'mm above the table' in found.objection and not found.claimed
