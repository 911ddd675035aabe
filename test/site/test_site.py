# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The site that `make docs` has built, opened as files in Chromium: no server, no network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).resolve().parents[2] / 'build' / 'site'
CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
FLAGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
pytestmark = [pytest.mark.skipif(not (SITE / 'index.html').exists(), reason='no site: make docs'),
              pytest.mark.skipif(not CHROMIUM, reason='no Chromium: apt-get install chromium')]
sync_api = pytest.importorskip('playwright.sync_api', reason='no playwright: pip install '
                                                             'playwright')


@pytest.fixture(scope='module')
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as play:
        yield play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page; a script with an error fails the test, and so does a file from elsewhere."""
    wrong: list[str] = []
    contexts = []

    def asked(url: str) -> None:
        if not url.startswith(('file:', 'data:', 'about:')):
            wrong.append(url)

    def failed(request: Any) -> None:
        if 'ABORTED' not in request.failure:  # by the next page
            wrong.append(f'{request.url}: {request.failure}')

    def open_page(name: str, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on('pageerror', lambda error: wrong.append(str(error)))
        page.on('request', lambda request: asked(request.url))
        page.on('requestfailed', failed)
        page.goto((SITE / name).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def test_a_search_finds_the_page_and_leads_to_it(opened: Callable[..., Any]) -> None:
    page = opened('reference/settings.html')
    page.get_by_role('textbox', name='Search').press_sequentially('approval_denied')
    result = page.locator('.md-search-result__link', has_text='approval_denied').first
    result.click()
    page.wait_for_url(re.compile(r'/troubleshooting\.html\?h=.*#approval_denied$'))


def test_the_colours_are_ours_and_follow_the_system_until_one_is_chosen(
    opened: Callable[..., Any]
) -> None:
    def back() -> str:
        return str(page.evaluate('getComputedStyle(document.body).backgroundColor'))

    page = opened('index.html', color_scheme='dark')
    assert back() == 'rgb(26, 32, 38)'
    page.get_by_title('Colours: as the system').click()
    assert back() == 'rgb(255, 255, 255)'
    page.goto((SITE / 'faq.html').as_uri())
    assert back() == 'rgb(255, 255, 255)'


def test_on_a_phone_wide_tables_scroll_and_no_page_does(opened: Callable[..., Any]) -> None:
    page = opened('faq.html', viewport={'width': 390, 'height': 844})
    for name in ('index', 'tutorials/another_arm', 'safety'):
        page.goto((SITE / f'{name}.html').as_uri())
        assert page.evaluate('document.documentElement.scrollWidth') <= 390, name
    tables = page.locator('.md-typeset__scrollwrap')
    assert tables.first.evaluate('table => table.scrollWidth > table.clientWidth')
