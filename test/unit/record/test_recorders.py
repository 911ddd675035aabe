# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A watcher that fails does not end a task; a record that fails does."""

from __future__ import annotations

import io
import sys

import pytest

from replan_agent.domain.event import WarningRaised
from replan_agent.record.recorders import FanOut, MemoryRecorder

DARK = WarningRaised('dark')


class Broken(MemoryRecorder):
    """Fails at everything, and counts it."""

    failed = 0

    def record(self, event):
        self.failed += 1
        raise OSError(28, 'No space left on device')

    finish = record


def test_a_watcher_that_fails_is_dropped_and_the_others_see_all(capsys):
    record, broken, other = MemoryRecorder(), Broken(), MemoryRecorder()
    all_of_them = FanOut(record, broken, other)
    all_of_them.record(DARK)
    all_of_them.record(DARK)
    all_of_them.finish('done')
    assert record.events == other.events == [DARK] * 2 and other.result == 'done'
    assert broken.failed == 1
    said = capsys.readouterr().err
    assert said.count('\n') == 1 and 'Broken' in said and 'No space left' in said


def test_a_watcher_that_fails_ends_nothing_when_stderr_is_closed_too(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', io.StringIO())
    sys.stderr.close()
    record = MemoryRecorder()
    FanOut(record, Broken()).record(DARK)
    assert record.events == [DARK]


def test_what_the_record_cannot_take_is_an_error():
    with pytest.raises(OSError, match='No space left'):
        FanOut(Broken(), MemoryRecorder()).record(DARK)


def test_watchers_get_the_result_even_if_it_cannot_be_recorded():
    watcher = MemoryRecorder()
    with pytest.raises(OSError, match='No space left'):
        FanOut(Broken(), watcher).finish('done')
    assert watcher.result == 'done'
