# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""motion.jsonl: exact, small, and never the end of a task."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from replan_agent_export.recorded_motion import motion_in

from replan_agent.domain.event import StateChanged
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.record import motion_file
from replan_agent.record.motion_file import MOTION, MotionFile
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.run_json import RunUnreadable

JOINTS = tuple(0.1 * k + 1e-17 for k in range(7))
CUBE = (0.4, 0.1, 0.02, 1.0, 0.0, 0.0, 0.0)


def sample(t, x=0.4, **changes):
    return MotionSample(t, changes.get('joints', JOINTS), 0.08, 0.0,
                        {'cube': (x, *CUBE[1:]), 'bowl': CUBE})


class Hand:
    """A trace that gives samples when it is told."""

    def __call__(self, record, period_s):
        self.give, self.period_s, self.ended = record, period_s, False
        return self.end

    def end(self):
        self.ended = True


@contextmanager
def written(folder, hand):
    file = MotionFile(folder / MOTION, hand)
    yield file
    file.close()


def test_samples_are_read_back_exactly_with_all_things_where_they_were(tmp_path):
    hand = Hand()
    given = [sample(0.0), sample(0.04, joints=(1 / 3,) * 7), sample(0.08, x=0.5)]
    with written(tmp_path, hand):
        for each in given:
            hand.give(each)
    assert list(motion_in(tmp_path)) == given and hand.ended


def test_a_thing_that_rests_is_written_once(tmp_path):
    hand = Hand()
    with written(tmp_path, hand):
        for k in range(50):
            hand.give(sample(k * 0.04, x=0.4 if k < 49 else 0.45))
    lines = [json.loads(line) for line in (tmp_path / MOTION).read_text().splitlines()[1:]]
    assert [k for k, line in enumerate(lines) if 'objects' in line] == [0, 49]
    assert list(lines[49]['objects']) == ['cube']


def test_a_moment_is_written_once(tmp_path):
    hand = Hand()
    with written(tmp_path, hand):
        hand.give(sample(0.04))
        hand.give(sample(0.04))
    assert len(list(motion_in(tmp_path))) == 1


def test_a_file_that_gets_too_long_ends_and_an_event_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(motion_file, 'MOST_BYTES', 900)
    hand = Hand()
    folder = RunFolder(tmp_path, trace=hand)
    for k in range(20):
        hand.give(sample(k * 0.04))
    folder.record(StateChanged('executing'))
    folder.record(StateChanged('verifying'))
    first, second = map(json.loads, (tmp_path / 'events.jsonl').read_text().splitlines())
    assert 'motion.jsonl: longer than' in first['unrecorded'] and 'unrecorded' not in second
    assert (tmp_path / MOTION).stat().st_size <= 900
    assert list(motion_in(tmp_path))


def test_a_file_that_cannot_be_written_does_not_end_the_task(tmp_path):
    (tmp_path / MOTION / 'in the way').mkdir(parents=True)
    hand = Hand()
    with written(tmp_path, hand) as file:
        file.add(sample(0.0))
    assert file.problem == 'motion.jsonl: Is a directory'


def test_a_torn_last_line_is_left_out(tmp_path):
    hand = Hand()
    with written(tmp_path, hand):
        hand.give(sample(0.0))
        hand.give(sample(0.04))
    text = (tmp_path / MOTION).read_text()
    (tmp_path / MOTION).write_text(text[:-30])
    assert [s.robot_s for s in motion_in(tmp_path)] == [0.0]


@pytest.mark.parametrize('text', ['', 'no', '{}\n', '{"format": 2}\n', '{"format": 1}\n{"t": 1}\n',
                                  '{"format": 1}\n{"t": 1, "q": [1], "w": 0}\n'
                                  '{"t": 2, "q": [1, 2], "w": 0}\n',
                                  '{"format": 1}\n{"t": 1, "q": 5, "w": 0}\n',
                                  '{"format": 1}\n{"t": -1, "q": [0,0,0,0,0,0,0], "w": 0}\n',
                                  '{"format": 1}\n{"t": 1e400, "q": [0,0,0,0,0,0,0], "w": 0}\n',
                                  '{"format": 1}\n[]\n{}\n'])
def test_another_file_is_named_in_the_error(text, tmp_path):
    (tmp_path / MOTION).write_text(text)
    with pytest.raises(RunUnreadable, match=r'motion\.jsonl'):
        list(motion_in(tmp_path))
