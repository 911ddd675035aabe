# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests that no page sends, over real HTTP: each gets an answer in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip('uvicorn', reason="pip install 'replan_agent_page'")

from made_run import made_run  # noqa: E402
from replan_agent_page.web.feed import Feed  # noqa: E402
from replan_agent_page.web.page_app import Page  # noqa: E402
from replan_agent_page.web.past_runs import Gallery  # noqa: E402
from web_servers import Listener, asked, served  # noqa: E402

MANY = '9' * 5000  # digits; Python refuses to read them


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    made_run(tmp_path / '1-run')
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        yield port


@pytest.mark.parametrize('numbers', [f'a={MANY}&b=1', 'a=-1&b=1', 'a=x&b=1', 'a=1', ''])
def test_a_plan_version_that_is_no_number_is_refused(port: int, numbers: str) -> None:
    status, said = asked(port, f'/api/diff?run=1-run&{numbers}')
    assert status == 400 and 'versions of plans' in said['error']


def test_a_stream_from_an_absurd_place_starts_at_the_beginning(port: int) -> None:
    listener = Listener(port, f'run=x&seen={MANY}')
    assert listener.answer.status == 200
    assert next(data for kind, data in listener.events() if kind == 'run') == {'run': ''}
    listener.close()


@pytest.mark.parametrize('name', ['..', '%2e%2e', 'a%00b', '.lock', 'x' * 3000])
def test_a_name_of_a_run_leads_nowhere_else(port: int, name: str) -> None:
    status, said = asked(port, f'/api/runs/{name}')
    assert status == 404 and len(said['error']) < 300


def test_a_broken_line_ends_the_story_and_not_the_answer(port: int, tmp_path: Path) -> None:
    file = tmp_path / '1-run' / 'events.jsonl'
    whole = file.read_text().splitlines()
    file.write_text('\n'.join([*whole[:2], '{"event": NaN}', *whole[2:], '']))
    (tmp_path / '1-run' / 'people.jsonl').write_bytes(b'\xff\n')
    status, run = asked(port, '/api/runs/1-run')
    assert status == 200 and len(run['events']) == 2 and run['people'] == []
    assert 'events.jsonl: line 3' in run['broken'] and 'people.jsonl' in run['broken']
