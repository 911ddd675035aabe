# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recovery benchmark: its columns, its counts and its table."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from replan_agent_bench.report.suite_table import flaw_lines, suite_table
from replan_agent_bench.suite import find
from replan_agent_bench.suites.injected.failure_modes import confusion_matrix
from replan_agent_bench.suites.injected.injected_rows import INJECTED
from replan_agent_bench.suites.recovery_episode import (
    NO_LOCAL,
    OFF,
    PLAIN,
    ROWS,
    WHOLE,
    RecoveryOutcome,
    column_config,
    proved_repeats,
)
from replan_agent_bench.suites.recovery_suite import RECOVERY, diagnosed, time_lines
from replan_agent_bench.suites.troubles import TROUBLES
from replan_agent_bench.worlds.confusions import (
    about_another,
    all_taken_first,
    put_before_take,
    take_left_out,
)
from rich.console import Console

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import Reason, SkillResult, failed, succeeded
from replan_agent.domain.task_result import FinalReason, StepRecord, TaskResult


def outcome(column: str = WHOLE, success: bool = True, **more) -> RecoveryOutcome:
    plain = RecoveryOutcome('moved', 0, success, '' if success else 'on the table', success,
                            'plan_complete' if success else 'gave_up', 'because', column)
    return replace(plain, **more)


def test_the_whole_recovery_is_the_configuration_as_it_is():
    base = AgentConfig(max_replans=2)
    assert column_config(base, WHOLE) is base


def test_plain_replanning_has_replans_and_nothing_else():
    plain = column_config(AgentConfig(), PLAIN)
    assert plain.replanning and plain.max_replans == AgentConfig().max_replans
    assert plain.max_step_retries == 0 and not plain.repeat_guard and not plain.local_planning
    assert plain.reflection == plain.monitor == 'none' and not plain.adapt_retries


def test_a_column_differs_from_the_whole_only_in_local_planning():
    assert column_config(AgentConfig(), NO_LOCAL) == AgentConfig(local_planning=False)


def test_the_same_episodes_are_run_with_each_probability_of_a_fault():
    first, *others = (row.case(3) for row in INJECTED)
    assert all((c.objects, c.task) == (first.objects, first.task) for c in others)


def test_a_diagnosis_counts_from_the_first_failure_after_the_fault():
    outcomes = [outcome(row='mode_slip', causes=('off_target', 'slipped_in_carry'),
                        diagnosed_from=1), outcome(row='mode_slip', causes=('closed_on_air',)),
                outcome(row='mode_turn'), outcome(PLAIN, row='mode_turn', causes=('off_target',))]
    assert [d.found for d in diagnosed(outcomes)] == ['slip', 'closed_on_air', 'unnoticed']
    said, heads, slip, turn = confusion_matrix(diagnosed(outcomes))
    assert said.startswith('causes: 1 of 3 right (33.3 %)') and 'closed_on_air' in heads
    assert slip.split() == ['slip', '·', '1', *'·' * 5, '1', '·']
    assert turn.split() == ['turn', *'·' * 8, '1']


def test_the_price_of_faults_is_compared_on_the_same_seeds():
    calm = outcome(row='inject0', robot_s=10.0)
    late = outcome(row='inject3', robot_s=14.0)
    given_up = replace(late, robot_s=1.0, success=False)
    assert list(time_lines([calm, late, given_up, replace(late, seed=1)])) == [
        '30 % of the steps disturbed, whole: 1.40 times the undisturbed robot time (means of 1 '
        'episodes that succeeded)']


@pytest.mark.parametrize(('change', 'names'), [
    (put_before_take, ['place_on', 'pick', 'pick', 'place_on']),
    (take_left_out, ['place_on', 'pick', 'place_on']),
    (all_taken_first, ['pick', 'pick', 'place_on', 'place_on'])])
def test_a_confused_model_orders_its_steps_wrongly(change, names):
    plan = [('set_goal', {}), ('pick', {'object': 'a'}), ('place_on', {'target': 'b'}),
            ('pick', {'object': 'c'}), ('place_on', {'target': 'b'})]
    assert [name for name, _ in change(plan)] == ['set_goal', *names]


def test_a_model_that_means_another_object_picks_that():
    plan = [('set_goal', {'goals': ['a']}), ('pick', {'object': 'a'})]
    assert about_another('a', 'b')(plan) == [plan[0], ('pick', {'object': 'b'})]


def test_off_makes_one_plan():
    off = column_config(AgentConfig(), OFF)
    assert not off.replanning and off.max_replans == off.max_total_replans == 0


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row.name)
def test_a_seed_draws_the_same_trouble_again(row):
    assert row.case(3).objects == row.case(3).objects != row.case(4).objects
    assert row.case(3).judge or row.case(3).refusal


def test_a_row_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ValueError, match="'nothing'; choose from: moved, slips"):
        find(TROUBLES, 'nothing')


def result(*records: tuple[Step, SkillResult]) -> TaskResult:
    steps = tuple(StepRecord(i, 1, step, done, 0.1) for i, (step, done) in enumerate(records))
    return TaskResult('t', False, FinalReason.GAVE_UP, '', 0, 0, steps, (), (), (), None, 'p', 'q',
                      0, 0)


def test_a_call_counts_as_a_repeat_only_after_a_proof_of_the_same_call():
    pick = Step(1, 'pick', {'object': 'a'})
    proof = failed(Reason.UNREACHABLE, 'too far', proved_impossible=True)
    assert proved_repeats(result((pick, proof), (pick, proof), (pick, succeeded()))) == 2
    other = Step(1, 'pick', {'object': 'b'})
    slip = failed(Reason.GRASP_SLIPPED, 'fell')
    assert proved_repeats(result((pick, proof), (other, proof), (pick, slip))) == 1
    assert proved_repeats(result((pick, slip), (pick, slip))) == 0


def test_a_call_is_no_repeat_once_something_was_moved():
    pick, pull = Step(1, 'pick', {'object': 'a'}), Step(2, 'pull', {'object': 'a'})
    proof = failed(Reason.UNREACHABLE, 'too far', proved_impossible=True)
    assert proved_repeats(result((pick, proof), (pull, succeeded()), (pick, succeeded()))) == 0
    look = Step(2, 'look')
    assert proved_repeats(result((pick, proof), (look, succeeded()), (pick, proof))) == 1


def test_a_summary_has_means_and_the_interval():
    outcomes = [outcome(model_calls=1, attempts=1, wasted=1),
                outcome(success=False, model_calls=4, attempts=3, repeats=2, seed=1)]
    lines = RECOVERY.summaries(outcomes)
    assert [(s.row, s.column) for s in lines] == [('moved', WHOLE), ('all', WHOLE)]
    line = lines[0]
    assert (line.n, line.successes, line.own.model_calls, line.own.repeats) == (2, 1, 2.5, 2)
    assert line.low < 0.5 < line.high and line.own.calls_per_success == 5


def test_the_table_fits_eighty_columns_and_has_every_kind_of_recovery():
    outcomes = [outcome(c, row=row.name, seed=seed, success=seed > 0, attempts=12)
                for row in TROUBLES for c in (OFF, PLAIN, WHOLE) for seed in range(50)]
    out = StringIO()
    Console(file=out, width=80).print(suite_table(RECOVERY, RECOVERY.summaries(outcomes)))
    lines = out.getvalue().splitlines()
    assert not any('…' in line for line in lines)
    assert [line[22:27].strip() for line in lines[3:6]] == [OFF, PLAIN, WHOLE]


def test_failures_of_the_whole_recovery_and_false_successes_are_listed():
    lines = flaw_lines(RECOVERY, [outcome(OFF, success=False), outcome(success=False, seed=7),
                                  outcome(PLAIN, success=False, claimed=True, seed=8)])
    assert [line.split(':')[0] for line in lines] == [
        'moved/whole seed 7', 'moved/plain seed 8', 'see one again']
    assert '--rows moved --seed 7 --n 1' in lines[-1], 'the whole recovery is what is filmed'
