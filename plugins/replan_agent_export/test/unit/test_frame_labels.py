# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Each frame says what happens in it: the phase, the cause of a failure, the recovery."""

from __future__ import annotations

import json

from made_run import events, made_run, result
from replan_agent_export.frame_labels import FrameLabels, frame_labels
from replan_agent_export.recorded_run import RecordedRun


def labels(folder, times, period_s=0.04):
    return frame_labels(RecordedRun.load(folder), times, period_s)


def test_a_frame_has_the_phase_that_runs_in_it(tmp_path):
    found = labels(made_run(tmp_path / 'run'), [0.0, 0.08, 0.12, 0.2, 0.32, 0.4])
    assert [frame.phase for frame in found] == [
        'pick/approach', 'pick/approach', 'pick/grasp', 'pick/approach', 'pick/grasp', '']


def test_the_frames_of_a_failed_step_have_its_cause_and_those_of_the_retry_say_so(tmp_path):
    found = labels(made_run(tmp_path / 'run'), [0.0, 0.16, 0.2, 0.36, 0.4])
    assert [frame.failure_cause for frame in found] == ['slipped', 'slipped', '', '', '']
    assert [frame.recovery for frame in found] == ['', '', 'retry', 'retry', '']


def test_a_failure_that_took_no_robot_time_is_in_the_frame_of_its_moment(tmp_path):
    folder, lines = made_run(tmp_path / 'run'), events()
    refused = [lines[3] | {'robot_s': 0.0},
               lines[6] | {'robot_s': 0.0, 'result': result(False, reason='unreachable')}]
    (folder / 'events.jsonl').write_text(
        ''.join(json.dumps(line) + '\n' for line in [*lines[:3], *refused, lines[-1]]))
    assert labels(folder, [0.0, 0.04]) == [FrameLabels('', 'unreachable', ''), FrameLabels()]


def test_local_actions_and_later_plans_are_recoveries(tmp_path):
    folder, lines = made_run(tmp_path / 'run'), events()
    again = {**lines[2], 'plan': lines[2]['plan'] | {'version': 2, 'cause': 'error'}}
    lines[3] |= {'local_state': '0.1'}
    lines[7] |= {'plan_version': 2, 'retry': 0}
    (folder / 'events.jsonl').write_text(
        ''.join(json.dumps(line) + '\n' for line in [*lines[:7], again, *lines[7:]]))
    assert [f.recovery for f in labels(folder, [0.0, 0.2])] == ['local', 'replan']
