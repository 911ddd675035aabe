# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Only our own page gets in, and a token gives one right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.past_runs import Gallery
from web_servers import asked, served

TOKENS = Tokens(watch='w' * 32, act='a' * 32)


@pytest.fixture(scope='module')
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(tmp_path_factory.mktemp('runs'), Gallery(None), Feed())


@pytest.fixture(scope='module')
def open_port(page: Page) -> Iterator[int]:
    with served(page) as port:
        yield port


@pytest.fixture(scope='module')
def token_port(page: Page) -> Iterator[int]:
    with served(page, TOKENS) as port:
        yield port


def test_the_page_is_served_and_loads_nothing_from_elsewhere(open_port: int) -> None:
    status, html = asked(open_port, '/')
    assert status == 200 and b'<main' in html
    assert b'http' not in html.replace(b'http-equiv', b'')


@pytest.mark.parametrize('host', ['evil.example', 'evil.example:80', '127.0.0.1.evil.example'])
def test_another_name_for_this_server_is_refused(open_port: int, host: str) -> None:
    assert asked(open_port, '/api/runs', Host=host)[0] == 421


@pytest.mark.parametrize('headers', [
    {'Origin': 'http://evil.example'}, {'Origin': 'null'}, {'Sec_Fetch_Site': 'cross-site'},
    {'Sec_Fetch_Site': 'same-site'}])
def test_another_web_page_reads_and_sends_nothing(open_port: int, headers: dict[str, str]) -> None:
    assert asked(open_port, '/api/runs', **headers)[0] == 403
    assert asked(open_port, '/api/stop', {}, **headers)[0] == 403


def test_a_link_on_another_page_opens_this_one_and_sends_nothing(open_port: int) -> None:
    headers = {'Sec_Fetch_Site': 'cross-site', 'Sec_Fetch_Mode': 'navigate'}
    assert asked(open_port, '/', **headers)[0] == 200
    assert asked(open_port, '/api/stop', {}, **headers)[0] == 403


def test_every_route_is_behind_token_host_and_origin(page: Page, token_port: int) -> None:
    routes = [(route.path.replace('{', '').replace('}', ''), 'POST' in route.methods)
              for route in page.routes() if route.path.startswith('/api/')]
    assert len(routes) > 15
    act = {'Authorization': f'Bearer {TOKENS.act}'}
    watch = {'Authorization': f'Bearer {TOKENS.watch}'}
    for path, acts in routes:
        body = {} if acts else None
        assert asked(token_port, path, body)[0] == 401, path
        assert asked(token_port, path, body, Host='evil.example', **act)[0] == 421, path
        assert asked(token_port, path, body, Origin='http://evil.example', **act)[0] == 403, path
        assert not acts or asked(token_port, path, body, **watch)[0] == 403, path


def test_a_form_of_another_page_cannot_act_as_json(open_port: int) -> None:
    assert asked(open_port, '/api/stop', {}, Content_Type='text/plain')[0] == 415


@pytest.mark.parametrize('given', ['', 'Bearer', 'Bearer x', f'Bearer {"a" * 31}', 'a' * 32,
                                   f'bearer {"w" * 32}'])
def test_without_the_token_there_is_nothing(token_port: int, given: str) -> None:
    headers = {'Authorization': given} if given else {}
    for path in ('/api/hello', '/api/runs', '/api/events', '/api/picture', '/api/nothing'):
        status, answer = asked(token_port, path, **headers)
        assert status == 401 and list(answer) == ['error']
    assert asked(token_port, '/api/stop', {}, **headers)[0] == 401


def test_who_may_watch_may_not_act(token_port: int) -> None:
    watch = {'Authorization': f'Bearer {TOKENS.watch}'}
    assert asked(token_port, '/api/hello', **watch)[1]['right'] == 'watch'
    for path in ('task', 'answer', 'stop', 'reset', 'world'):
        assert asked(token_port, f'/api/{path}', {}, **watch)[0] == 403
    act = {'Authorization': f'Bearer {TOKENS.act}'}
    assert asked(token_port, '/api/hello', **act)[1]['right'] == 'act'


@pytest.mark.parametrize('path', ['/assets/../page_app.py', '/assets/%2e%2e%2fpage_app.py',
                                  '/assets/page_app.py', '/assets/', '/assets/%00'])
def test_only_the_files_of_the_page_are_served(open_port: int, path: str) -> None:
    assert asked(open_port, path)[0] == 404


def test_a_server_without_an_arm_takes_no_task(open_port: int) -> None:
    status, answer = asked(open_port, '/api/task', {'task': 'pick up the red cube'})
    assert status == 404 and 'past runs' in answer['error']


@pytest.mark.parametrize('body', [[], 'text', 7])
def test_what_is_no_object_is_refused_in_one_sentence(open_port: int, body: object) -> None:
    assert asked(open_port, '/api/stop', body) == (400, {'error': 'send a JSON object'})


def test_a_body_that_is_too_long_is_refused(open_port: int) -> None:
    assert asked(open_port, '/api/stop', {'reason': 'x' * 100_000})[0] == 413


def test_every_answer_forbids_scripts_of_others(open_port: int, tmp_path: Path) -> None:
    import http.client

    connection = http.client.HTTPConnection('127.0.0.1', open_port)
    for path in ('/', '/api/runs', '/api/none'):
        connection.request('GET', path)
        answer = connection.getresponse()
        answer.read()
        policy = answer.headers['Content-Security-Policy']
        assert "default-src 'none'" in policy and 'unsafe' not in policy
        assert "require-trusted-types-for 'script'" in policy
    connection.close()
