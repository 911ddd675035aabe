# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run folder holds what happened, from the moment it happened."""

from __future__ import annotations

import json

import numpy as np
import pytest

from replan_agent.domain.event import StateChanged, StepFinished, WarningRaised
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import succeeded
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.record.run_folder import RunFolder, new_run_path


def result(**changes) -> TaskResult:
    values = dict(task='t', success=True, final_reason=FinalReason.PLAN_COMPLETE, final_detail='',
                  replans=0, total_replans=0, steps=(), attempts=(), plans=(), goals=(),
                  goal_verified=None, planner='p', perception='ground_truth', api_calls=0,
                  recaptures=0)
    return TaskResult(**{**values, **changes})


def lines(path):
    return [json.loads(line) for line in (path / 'events.jsonl').read_text().splitlines()]


def test_an_event_is_in_the_file_as_soon_as_it_is_recorded(tmp_path):
    folder = RunFolder(tmp_path, robot_time=lambda: 1.5)
    folder.record(WarningRaised('dark'))
    assert lines(tmp_path)[0] | {'wall_s': 0} == {
        'event': 'warning_raised', 'wall_s': 0, 'robot_s': 1.5, 'message': 'dark'}


def test_the_result_says_which_perception_was_used_and_why_it_ended(tmp_path):
    folder = RunFolder(tmp_path)
    folder.finish(result(extra={'seed': 3}))
    written = json.loads((tmp_path / 'result.json').read_text())
    assert written['perception'] == 'ground_truth' and written['seed'] == 3
    assert written['final_reason'] == 'plan_complete' and written['goal_verified'] is None


def test_numpy_numbers_in_evidence_are_written_as_numbers(tmp_path):
    folder = RunFolder(tmp_path)
    step = Step(1, 'pick', {'object': 'a'})
    folder.record(StepFinished(0, 1, step, succeeded(width=np.float64(0.04)), 0.1))
    assert lines(tmp_path)[0]['result']['evidence'] == {'width': 0.04}


def test_a_number_that_json_has_no_word_for_is_written_as_text(tmp_path):
    folder, step = RunFolder(tmp_path), Step(1, 'pick', {'object': 'a'})
    folder.record(StepFinished(0, 1, step, succeeded(width=float('nan'), at=[float('inf')]), 0.1))
    assert lines(tmp_path)[0]['result']['evidence'] == {'width': 'nan', 'at': ['inf']}


class Thing:
    def __repr__(self):
        return f'<{"x" * 900}>'


def test_something_that_json_cannot_hold_is_written_as_its_clipped_repr(tmp_path):
    folder, step = RunFolder(tmp_path), Step(1, 'pick', {'object': 'a'})
    folder.record(StepFinished(0, 1, step, succeeded(seen={1, 2}, thing=Thing()), 0.1))
    folder.record(StateChanged(Thing()))
    folder.finish(result(extra={'thing': Thing()}))
    finished, changed = lines(tmp_path)
    written = json.loads((tmp_path / 'result.json').read_text())
    assert finished['result']['evidence']['seen'] == '{1, 2}'
    for text in (finished['result']['evidence']['thing'], changed['state'], written['thing']):
        assert text.startswith('<xxx') and text.endswith('...') and len(text) < 300


def test_keys_that_are_no_texts_and_evidence_that_holds_itself_are_written(tmp_path):
    folder, step = RunFolder(tmp_path), Step(1, 'pick', {'object': 'a'})
    circle = [1]
    circle.append(circle)
    folder.record(StepFinished(0, 1, step, succeeded(at={(0, 1): 2}, circle=circle), 0.1))
    assert lines(tmp_path)[0]['result']['evidence'] == {'at': {'(0, 1)': 2},
                                                        'circle': [1, '...']}


def test_a_result_is_true_if_the_task_succeeded():
    assert result(success=True) and not result(success=False)


def test_two_runs_in_one_second_get_two_folders(tmp_path):
    first, second = (new_run_path(tmp_path, 'x') for _ in range(2))
    assert first != second and first.is_dir() and second.is_dir()


@pytest.mark.parametrize('name', ['../../out', '/etc', '..', '.', '', 'a\0b', 'x' * 500, '\udcff',
                                  'küche', '\x1b[2J', '~', 'a/../../b'])
def test_no_name_leads_out_of_the_folder_of_runs(name, tmp_path):
    root = tmp_path / 'runs'
    path = new_run_path(root, name)
    assert path.resolve().parent == root.resolve() and path.is_dir()
    assert path.name.isprintable()


def test_a_run_that_does_not_end_has_no_result_of_an_earlier_one(tmp_path):
    RunFolder(tmp_path).finish(result())
    (tmp_path / 'result.json.partial').write_text('{')
    RunFolder(tmp_path)
    assert not list(tmp_path.glob('result.json*'))


def test_an_earlier_run_in_the_folder_is_kept_under_a_name_of_its_own(tmp_path):
    for task in ('first', 'second', 'third'):
        folder = RunFolder(tmp_path)
        folder.record(WarningRaised(task))
        folder.finish(result(task=task))
    tasks = [json.loads((tmp_path / where / 'result.json').read_text())['task']
             for where in ('earlier-1', 'earlier-2', '.')]
    assert tasks == ['first', 'second', 'third']
    assert lines(tmp_path / 'earlier-1')[0]['message'] == 'first'


def test_a_folder_in_use_is_refused_and_stays_as_it_is(tmp_path):
    folder = RunFolder(tmp_path)
    folder.record(WarningRaised('mine'))
    with pytest.raises(OSError, match='another run is writing there'):
        RunFolder(tmp_path)
    folder.finish(result())
    assert [line['message'] for line in lines(tmp_path)] == ['mine']
    RunFolder(tmp_path)  # free again


def test_on_a_full_disk_no_part_of_a_result_is_left(tmp_path, files_of_at_most):
    folder = RunFolder(tmp_path)
    with files_of_at_most(0), pytest.raises(OSError, match='too large'):
        folder.finish(result())
    assert not list(tmp_path.glob('result.json*'))
    RunFolder(tmp_path)  # the lock is released


def test_half_a_surrogate_pair_is_written_so_that_it_can_be_read_again(tmp_path):
    folder = RunFolder(tmp_path)
    folder.record(WarningRaised('\udcff'))
    folder.finish(result(task='\udcff'))
    assert lines(tmp_path)[0]['message'] == '\udcff'
    assert json.loads((tmp_path / 'result.json').read_text())['task'] == '\udcff'
