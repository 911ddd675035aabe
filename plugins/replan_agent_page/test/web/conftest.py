"""One real Chromium for all tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from web_servers import WAIT_S, WebArm, web_arm

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']


@pytest.fixture(scope='session')
def launch() -> Iterator[Callable[[], Any]]:
    """Starts a browser."""
    if CHROMIUM is None:
        pytest.skip('no Chromium: apt-get install chromium')
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * WAIT_S)
    with sync_playwright() as play:
        yield lambda: play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture(scope='session')
def browser(launch: Callable[[], Any]) -> Iterator[Any]:
    browser = launch()
    yield browser
    browser.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages of different people. A page with an error in its script fails the test."""
    wrong: list[str] = []
    with ExitStack() as contexts:
        def opened(url: str, **options: Any) -> Any:
            context = contexts.enter_context(browser.new_context(**options))
            context.set_default_timeout(1000 * WAIT_S)
            page = context.new_page()
            page.on('pageerror', lambda error: wrong.append(str(error)))
            page.on('dialog', lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
            page.goto(url)
            return page

        yield opened
    assert not wrong


@pytest.fixture
def arm_of(tmp_path: Path) -> Iterator[Callable[..., WebArm]]:
    """Serves a page with an arm until the test ends."""
    with ExitStack() as arms:
        yield lambda **options: arms.enter_context(web_arm(tmp_path / 'runs', **options))
