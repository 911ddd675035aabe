# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Past runs and failed episodes over real HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from replan_agent_page.serve.run_store import MOST_RUNS
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.past_runs import Gallery
from web_servers import asked, served

from replan_agent.domain.config import ConfigError

PNG = b'\x89PNG\r\n\x1a\n and so on'
EVENTS = [{'event': 'task_started', 'task': 'go', 'planner': 'p', 'facts': {}},
          {'event': 'task_finished', 'success': False, 'final_reason': 'r', 'final_detail': ''}]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name, task in (('20260101-000000-a', 'first'), ('20260102-000000-b', 'second')):
        folder = tmp_path / 'runs' / name
        (folder / 'pictures').mkdir(parents=True)
        lines = '\n'.join(json.dumps(event) for event in EVENTS) + '\n'
        (folder / 'events.jsonl').write_text(lines)
        (folder / 'result.json').write_text(json.dumps({'task': task, 'success': False}))
        (folder / 'pictures' / '0001-look.png').write_bytes(PNG)
    (tmp_path / 'secret.png').write_bytes(b'secret')
    pictures = tmp_path / 'runs' / '20260101-000000-a' / 'pictures'
    (pictures / 'link.png').symlink_to(tmp_path / 'secret.png')
    os.mkfifo(pictures / 'pipe.png')  # whoever reads it waits forever
    return tmp_path / 'runs'


@pytest.fixture
def port(runs: Path, tmp_path: Path) -> Iterator[int]:
    bench = tmp_path / 'bench.json'
    (tmp_path / 'shots').mkdir()
    (tmp_path / 'shots' / 'x.png').write_bytes(PNG)
    bench.write_text(json.dumps({'episodes': [
        {'row': 'r', 'seed': 1, 'success': True},
        {'row': 'r', 'seed': 2, 'success': False, 'picture': 'shots/x.png'},
        {'row': 'r', 'seed': 3, 'success': False, 'picture': '/etc/passwd'}]}))
    with served(Page(runs, Gallery(bench), Feed())) as port:
        yield port


def test_runs_are_listed_the_newest_first(port: int) -> None:
    _, answer = asked(port, '/api/runs')
    assert [run['task'] for run in answer['runs']] == ['second', 'first']
    assert answer['runs'][0]['pictures'] == ['0001-look.png']


def test_older_runs_than_a_list_has_can_be_asked_for(port: int, runs: Path) -> None:
    for number in range(MOST_RUNS):
        folder = runs / f'20270101-{number:06}-x'
        folder.mkdir()
        (folder / 'result.json').write_text('{}')
    _, first = asked(port, '/api/runs')
    assert len(first['runs']) == MOST_RUNS and first['count'] == MOST_RUNS + 2
    _, rest = asked(port, f'/api/runs?skip={MOST_RUNS}')
    assert [run['task'] for run in rest['runs']] == ['second', 'first']


def test_a_run_has_its_events_and_pictures(port: int) -> None:
    _, run = asked(port, '/api/runs/20260101-000000-a')
    assert [event['event'] for event in run['events']] == ['task_started', 'task_finished']
    assert asked(port, '/api/runs/20260101-000000-a/pictures/0001-look.png') == (200, PNG)


def test_the_camera_of_the_pictures_is_given_as_a_projection(port: int, runs: Path) -> None:
    assert asked(port, '/api/runs/20260101-000000-a')[1]['camera'] is None
    camera = {'width': 64, 'height': 48, 'intrinsics': [[60, 0, 31.5], [0, 60, 23.5], [0, 0, 1]],
              'T_base_camera': {'position': [0, 0, -2], 'quaternion_wxyz': [1, 0, 0, 0]}}
    (runs / '20260101-000000-a' / 'pictures' / 'camera.json').write_text(json.dumps(camera))
    _, run = asked(port, '/api/runs/20260101-000000-a')
    u, v, depth = np.array(run['camera']['projection']) @ [0.1, 0.0, 0.0, 1.0]
    assert (u / depth, v / depth, depth) == (34.5, 23.5, 2.0)
    assert run['camera']['size'] == [64, 48]


@pytest.mark.parametrize('path', [
    'runs/nothing', 'runs/..', 'runs/20260101-000000-a/pictures/link.png',
    'runs/20260101-000000-a/pictures/..%2fresult.json', 'runs/20260101-000000-a/pictures/none.png',
    'runs/%2e%2e/pictures/secret.png', 'runs/20260101-000000-a/pictures/pipe.png',
    'diff?run=20260101-000000-a&a=1&b=2', 'gallery/0x', 'gallery/' + '9' * 5000, 'gallery/1',
    'gallery/9'])
def test_nothing_outside_the_runs_can_be_read(port: int, path: str) -> None:
    status, answer = asked(port, f'/api/{path}')
    assert status == 404 and 'secret' not in str(answer.get('error', '')).replace('secret.png', '')


def test_a_run_that_is_damaged_is_listed_with_the_reason(port: int, runs: Path) -> None:
    (runs / '20260101-000000-a' / 'result.json').write_text('{')
    _, answer = asked(port, '/api/runs')
    assert 'result.json' in answer['runs'][1]['unreadable']


@pytest.mark.parametrize('part', ['result.json', 'events.jsonl', 'pictures/camera.json'])
@pytest.mark.parametrize('content', [
    b'', b'{"task": "x", "plans": 5}', b'{"plans": [null]}', b'{"plans": {"version": 1}}',
    b'{"plans": [{"version": []}]}', b'{"success": {}, "final_reason": []}', b'[]', b'null',
    b'{"task": NaN}', b'{"task": 1e999}', b'{"task": "\\ud800", "why": "\\ud800"}',
    b'{"final_reason": {"a": []}}', b'\xff', b'{"task"', b'[' * 3000, 'folder', 'pipe', 'loop'])
def test_one_run_that_is_not_as_it_should_be_hides_no_other(
        port: int, runs: Path, content: bytes | str, part: str) -> None:
    file = runs / '20260101-000000-a' / part
    file.unlink(missing_ok=True)
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        {'folder': file.mkdir, 'pipe': lambda: os.mkfifo(file),
         'loop': lambda: file.symlink_to(file)}[content]()
    status, answer = asked(port, '/api/runs')
    assert status == 200 and answer['runs'][0]['task'] == 'second'
    status, answer = asked(port, '/api/runs/20260101-000000-a')
    assert status in (200, 404) and isinstance(answer, dict)


def test_a_result_of_another_form_says_so(port: int, runs: Path) -> None:
    (runs / '20260101-000000-a' / 'result.json').write_text('{"task": "x", "plans": 5}')
    _, answer = asked(port, '/api/runs')
    assert 'result.json: not the format of this version' in answer['runs'][1]['unreadable']


def test_the_gallery_has_the_failed_episodes_with_their_pictures(port: int) -> None:
    _, answer = asked(port, '/api/gallery')
    assert [one['seed'] for one in answer['episodes']] == [2, 3]
    assert asked(port, '/api/gallery/0') == (200, PNG)


def test_another_file_is_no_gallery(tmp_path: Path) -> None:
    (tmp_path / 'x.json').write_text('[]')
    with pytest.raises(ConfigError, match='no episodes'):
        Gallery(tmp_path / 'x.json')


def test_runs_are_found_by_date_task_and_verdict(port: int, runs: Path) -> None:
    worked = runs / '20260103-120000-c'
    worked.mkdir()
    (worked / 'result.json').write_text(json.dumps({'task': 'pick the bar', 'success': True}))

    def found(query: str) -> list[str]:
        return [run['task'] for run in asked(port, f'/api/runs?{query}')[1]['runs']]

    assert found('find=2026-01-02') == found('find=SECOND+failed') == ['second']
    assert found('find=succeeded') == ['pick the bar'] and found('find=bowl') == []
    assert found('failed=') == ['second', 'first'] and len(found('find=')) == 3
    assert asked(port, '/api/runs?find=first&skip=1')[1] == {'runs': [], 'count': 1, 'running': ''}
