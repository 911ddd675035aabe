# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stop of an embedded arm lasts until a person ends it."""

from __future__ import annotations

import os
from pathlib import Path

from replan_agent_page.serve.stop_file import StopFile


def test_a_stop_is_still_there_after_a_restart(tmp_path: Path) -> None:
    StopFile(tmp_path / 'runs' / 'STOPPED').engage('smoke')
    assert StopFile(tmp_path / 'runs' / 'STOPPED').reason() == 'smoke'


def test_a_release_says_why_it_was_stopped(tmp_path: Path) -> None:
    latch = StopFile(tmp_path / 'STOPPED')
    latch.engage('smoke')
    assert latch.release() == 'smoke' and latch.reason() == ''
    assert latch.release() == ''


def test_an_empty_file_is_a_stop(tmp_path: Path) -> None:
    (tmp_path / 'STOPPED').touch()
    assert StopFile(tmp_path / 'STOPPED').reason() == 'stopped'


def test_a_stop_that_cannot_be_written_holds_in_this_process(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    latch = StopFile(tmp_path / 'file' / 'STOPPED')
    assert 'cannot be written' in latch.engage('smoke')
    assert latch.reason() == 'smoke'


def test_the_reason_stays_on_one_short_line(tmp_path: Path) -> None:
    latch = StopFile(tmp_path / 'STOPPED')
    latch.engage('a\n\x1b[2Jb' + 'c' * 1000)
    assert '\n' not in latch.reason() and '\x1b' not in latch.reason()
    assert len(latch.reason()) < 400


def test_a_pipe_in_its_place_is_a_stop_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / 'STOPPED')
    latch = StopFile(tmp_path / 'STOPPED')
    assert 'pipe' in latch.reason()
    assert 'cannot be written' in latch.engage('the cat') and latch.reason() == 'the cat'
