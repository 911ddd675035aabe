# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
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
FLAGS = ['--no-sandbox', '--disable-dev-shm-usage']
NO_3D = '--disable-gpu', '--disable-3d-apis'  # pictures: WebGL in software is slow
IN_SOFTWARE = '--use-angle=swiftshader',


@pytest.fixture(scope='session')
def launch() -> Iterator[Callable[..., Any]]:
    """Starts a browser: one that draws pictures only, or as the flags say."""
    if CHROMIUM is None:
        pytest.skip('no Chromium: apt-get install chromium')
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * WAIT_S)
    with sync_playwright() as play:
        yield lambda flags=NO_3D: play.chromium.launch(executable_path=CHROMIUM,
                                                       args=[*FLAGS, *flags])


@pytest.fixture(scope='session')
def browser(launch: Callable[..., Any]) -> Iterator[Any]:
    browser = launch()
    yield browser
    browser.close()


@pytest.fixture(scope='session')
def solid_browser(launch: Callable[..., Any]) -> Iterator[Any]:
    """It has WebGL."""
    browser = launch(IN_SOFTWARE)
    yield browser
    browser.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages of different people. A page with an error in its script fails the test."""
    yield from _pages(browser)


@pytest.fixture
def new_solid_page(solid_browser: Any) -> Iterator[Callable[..., Any]]:
    """The same where the page can draw in three dimensions, in a small window."""
    yield from _pages(solid_browser, viewport={'width': 480, 'height': 400})


def _pages(browser: Any, **usual: Any) -> Iterator[Callable[..., Any]]:
    wrong: list[str] = []
    with ExitStack() as contexts:
        def opened(url: str, **options: Any) -> Any:
            context = contexts.enter_context(browser.new_context(**(usual | options)))
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
