"""The pictures of the page for the documents: `make screenshots` writes them into docs/images.

Everything in them is real: a server, the simulated arm, a failure that happens, and Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from web_cost import Served, chromium

WIDE, PHONE = {'width': 1180, 'height': 860}, {'width': 390, 'height': 844}


def given(page: Any, task: str) -> None:
    page.get_by_label('Your name').fill('Anna')
    page.get_by_role('textbox', name='Task').fill(task)
    page.get_by_role('button', name='Start', exact=True).click()


def saved(page: Any, file: Path) -> None:
    page.wait_for_timeout(1500)  # the last picture of the arm arrives
    page.screenshot(path=file, type='jpeg', quality=80)
    print(file)


def approved(page: Any, task: str) -> None:
    """Give the task and approve all its plans."""
    given(page, task)
    page.get_by_role('button', name='Approve').wait_for()
    while page.locator('#connection').inner_text() != 'ready':
        if page.get_by_role('button', name='Approve').count():
            page.get_by_role('button', name='Approve').click()
        page.wait_for_timeout(200)


def taken(browser: Any, server: Served, images: Path) -> None:
    page = browser.new_page(viewport=WIDE)
    page.goto(server.url)
    page.locator('.space canvas').wait_for()
    given(page, 'put the red cube in the bowl')
    page.get_by_role('button', name='Approve').wait_for()
    saved(page, images / 'web_approve.jpg')
    page.get_by_role('button', name='Approve').click()
    page.get_by_text('Succeeded').wait_for()

    world = {'seed': 0, 'planner': 'search', 'perception': 'ground_truth'}
    server.post('api/world', scene='far_cube', **world)
    approved(page, 'pick up the red cube')
    page.locator('.space .target-name').wait_for()
    saved(page, images / 'web_failure.jpg')

    server.post('api/world', scene='boxed_in', **world)
    approved(page, 'pick up the red cube')
    phone = browser.new_page(viewport=PHONE, color_scheme='dark')
    phone.goto(server.url)
    phone.locator('.tree').wait_for()
    phone.locator('.local').evaluate('part => part.scrollIntoView()')
    phone.mouse.wheel(0, -70)
    saved(phone, images / 'web_phone.jpg')

    _, far, near = (run.name for run in sorted(server.runs.glob('*-web*'), reverse=True))
    page.goto(f'{server.url}#run={near}&other={far}')
    page.locator('.player').nth(1).locator('.verdict .bad').wait_for()
    saved(page, images / 'web_compare.jpg')


def main() -> None:
    images = Path(sys.argv[1])
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser, server = chromium(play, solid=True), Served(Path(folder))
        try:
            taken(browser, server, images)
        finally:
            server.close()
            browser.close()


if __name__ == '__main__':
    main()
