# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Records can be read, and nothing else on the disk."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest
from replan_agent_page.serve.run_store import LONGEST_TEXT, NoSuchRun, RunStore


@pytest.fixture
def runs(tmp_path: Path) -> RunStore:
    run = tmp_path / 'runs' / '20260101-a'
    (run / 'plans').mkdir(parents=True)
    (run / 'result.json').write_text('{"task": "go"}')
    (run / 'events.jsonl').write_text('{"event": "x"}\n')
    (run / 'plans' / '1.json').write_text('{}')
    (tmp_path / 'secret').mkdir()
    (tmp_path / 'secret' / 'result.json').write_text('{"task": "secret"}')
    return RunStore(tmp_path / 'runs')


def test_the_newest_run_comes_first_and_is_the_default(runs: RunStore) -> None:
    newer = runs.root / '20260102-b'
    newer.mkdir()
    (newer / 'result.json').write_text('{"task": "stay"}')
    assert runs.names() == ['20260102-b', '20260101-a']
    assert runs.run('').task == 'stay'
    assert runs.index()[1] == {'run': '20260101-a', 'files': ['result.json', 'events.jsonl'],
                               'plans': ['1']}


def test_the_files_of_a_run_can_be_read(runs: RunStore) -> None:
    assert runs.text('20260101-a', 'result.json') == '{"task": "go"}'
    assert runs.text('20260101-a', 'plans', '1.json') == '{}'


@pytest.mark.parametrize('name', ['', '.', '..', '../secret', '/etc', 'a/b', 'x' * 300, '€' * 120,
                                  'no\0t', '20260101-a/../../secret', 'STOPPED', 'naïve'])
def test_a_name_that_is_no_run_is_refused_with_the_runs_there_are(runs: RunStore, name: str
                                                                  ) -> None:
    with pytest.raises(NoSuchRun, match='20260101-a'):
        runs.text(name, 'result.json')


@pytest.mark.parametrize('part', ['../../secret/result.json', '..', '/etc/passwd', ''])
def test_a_part_does_not_lead_out_of_a_run(runs: RunStore, part: str) -> None:
    with pytest.raises(NoSuchRun):
        runs.text('20260101-a', part)


def test_a_link_does_not_lead_out(runs: RunStore) -> None:
    (runs.root / 'link').symlink_to(runs.root.parent / 'secret')
    (runs.root / '20260101-a' / 'plans' / '2.json').symlink_to(
        runs.root.parent / 'secret' / 'result.json')
    assert 'link' not in runs.names()
    with pytest.raises(NoSuchRun):
        runs.text('link', 'result.json')
    with pytest.raises(NoSuchRun):
        runs.text('20260101-a', 'plans', '2.json')


def test_a_run_whose_record_is_a_link_to_elsewhere_is_no_run(runs: RunStore) -> None:
    (runs.root / 'odd').mkdir()
    (runs.root / 'odd' / 'result.json').symlink_to(runs.root.parent / 'secret' / 'result.json')
    assert runs.names() == ['20260101-a']
    with pytest.raises(NoSuchRun):
        runs.run('odd')


@pytest.mark.parametrize('name', ['my run', 'Würfel', '50% #1?', '<b>'])
def test_any_name_that_a_person_gives_a_run_is_found(runs: RunStore, name: str) -> None:
    (runs.root / '20260101-a').rename(runs.root / name)
    assert runs.names() == [name] and runs.run(name).task == 'go'


def test_a_run_with_a_name_of_its_own_is_sorted_by_its_time(runs: RunStore) -> None:
    for name, at in (('zebra', '2025-06-01'), ('apple', '2026-06-01')):
        (runs.root / name).mkdir()
        (runs.root / name / 'result.json').write_text('{}')
        seconds = datetime.fromisoformat(at).timestamp()
        os.utime(runs.root / name, (seconds, seconds))
    (runs.root / '20260101-a').rename(runs.root / '20260101-120000-run')
    assert runs.names() == ['apple', '20260101-120000-run', 'zebra']


def test_of_a_long_file_the_last_whole_lines_are_sent(runs: RunStore) -> None:
    (runs.root / '20260101-a' / 'events.jsonl').write_text('{"line": 1}\n' * (LONGEST_TEXT // 10))
    text = runs.text('20260101-a', 'events.jsonl')
    assert len(text) <= LONGEST_TEXT and set(text.splitlines()) == {'{"line": 1}'}


def test_without_runs_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoSuchRun, match='newest runs: none'):
        RunStore(tmp_path / 'nothing').run('')


def test_a_run_that_is_removed_while_the_runs_are_listed_does_no_harm(
        runs: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = runs.root / 'by-hand'
    gone.mkdir()
    (gone / 'result.json').write_text('{}')
    is_run = RunStore._is_run

    def then_removed(self: RunStore, path: Path) -> bool:
        found = is_run(self, path)
        if path == gone:
            shutil.rmtree(path)
        return found

    monkeypatch.setattr(RunStore, '_is_run', then_removed)
    assert runs.names()[0] == '20260101-a'
