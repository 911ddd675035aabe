# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pictures and the film of the page for the documents: `make screenshots` writes docs/images.

Everything in them is real: a server, the simulated arm, failures that happen, and Chromium. The
pointer is drawn where the mouse is, because a browser does not paint it into its pictures.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright
from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.http_serving import HttpServer, bound
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.page_arm import Arm
from replan_agent_page.web.page_station import Choice, PageStation
from replan_agent_page.web.past_runs import Gallery
from web_cost import Served, chromium

from replan_agent.app.build.config_file import load_config
from replan_agent.robot.mujoco.world import World

WIDE, PHONE = {'width': 1180, 'height': 860}, {'width': 390, 'height': 844}
FILM, FILM_PX = {'width': 900, 'height': 540}, (800, 480)
FRAME_S = 0.1  # of robot time for each frame of the film, which is how long it is shown
LAST_MS = 3000
STEP_S = 3.0  # the longest that the world may take to the next frame
SEEN_MS = 300  # until the page has drawn what moved
POINTER = ((0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12))


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
    page.get_by_role('button', name='Step 1').wait_for()
    page.get_by_label('grasps').check()
    page.get_by_role('slider', name='planned motion').fill('45')
    saved(page, images / 'web_approve.jpg')
    phone = browser.new_page(viewport=PHONE, color_scheme='dark')
    phone.goto(server.url)
    phone.get_by_role('slider', name='planned motion').fill('45')
    saved(phone, images / 'web_phone.jpg')
    phone.close()
    page.get_by_role('button', name='Approve').click()
    page.get_by_text('Succeeded').wait_for()
    page.get_by_label('grasps').uncheck()

    server.post('api/world', scene='far_cube', seed=0)
    approved(page, 'pick up the red cube')
    page.locator('.space .target-name').wait_for()
    saved(page, images / 'web_failure.jpg')

    server.post('api/world', scene='tabletop', seed=0)
    approved(page, 'put the blue cube in the bin')
    one, _, other = (run.name for run in sorted(server.runs.glob('*-web*')))
    page.goto(f'{server.url}#run={one}&other={other}')
    page.locator('.shared canvas').wait_for()
    page.get_by_label(f'moment of {one}').fill('80')
    saved(page, images / 'web_compare.jpg')


class Film:
    """Frames of a page with the pointer. The world waits for each: drawing may take a while."""

    def __init__(self, page: Any, world: World) -> None:
        self._page, self.pointer = page, (0.0, 0.0)
        self._frames: list[Image.Image] = []
        self._next, self._moved = threading.Semaphore(0), threading.Event()
        self._end = world.on_step(self._wait, FRAME_S)

    def _wait(self) -> None:
        """For the thread that steps the world."""
        self._moved.set()
        self._next.acquire()

    def take(self, goes_on: bool = True) -> None:
        """A frame; the world goes on to the next one first."""
        if goes_on and self._moved.is_set():
            self._moved.clear()
            self._next.release()
            self._moved.wait(STEP_S)
        self._page.wait_for_timeout(SEEN_MS)
        frame = Image.open(io.BytesIO(self._page.screenshot(type='png'))).convert('RGB')
        x, y = self.pointer
        ImageDraw.Draw(frame).polygon([(x + u, y + v) for u, v in POINTER], 'black', 'white')
        self._frames.append(frame.resize(FILM_PX, Image.Resampling.LANCZOS))

    def save(self, file: Path) -> None:
        self._end()
        self._next.release(1000)
        times = [round(1000 * FRAME_S)] * (len(self._frames) - 1) + [LAST_MS]
        self._frames[0].save(file, save_all=True, append_images=self._frames[1:], loop=0,
                             duration=times, quality=50, method=3)
        print(f'{file}: {len(self._frames)} frames, {file.stat().st_size / 1e6:.2f} MB')


@contextmanager
def served_here(runs: Path) -> Iterator[tuple[str, World]]:
    """The address of a page in this process, and its world."""
    config, feed = replace(load_config(), approver='auto'), Feed()
    config = replace(config, agent=replace(config.agent, skill_timeout=3600.0))
    station = PageStation(config, Choice('tabletop', 0, config.planner, config.perception,
                                         config.robot.model), feed, 10, 0.0)
    desk = Desk(station, runs, 'web')
    desk.on_change = feed.wake
    page = Page(runs, Gallery(None), feed, Arm(desk, station))
    with bound('127.0.0.1', 0) as listening:
        server = HttpServer(page.app('127.0.0.1', Tokens()), on_end=page.end)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
        thread.start()
        assert station.shown is not None
        yield f'http://127.0.0.1:{listening.getsockname()[1]}/', station.shown.world
        server.should_exit = True
        thread.join()
    desk.close()


def filmed(browser: Any, runs: Path, file: Path) -> None:
    """A person drags the cube away while the hand comes down for it."""
    with served_here(runs) as (url, world):
        page = browser.new_page(viewport=FILM)
        page.goto(url)
        page.locator('.space canvas').wait_for()
        page.get_by_text('Touch the world').click()
        page.get_by_label('drag things').check()
        page.get_by_text('Touch the world').click()
        for _ in range(2):
            page.locator('.space canvas').press('+')
        film = Film(page, world)
        given(page, 'put the red cube in the bowl')
        doing = page.locator('.stagebar [aria-current]')
        while 'descend' not in (doing.inner_text() if doing.count() else ''):
            film.take()
        cube, view = (page.locator(part).first.bounding_box()
                      for part in ('.space .box', '.space'))
        x, y = cube['x'] + cube['width'] / 2, cube['y'] + cube['height'] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        for share in (k / 6 for k in range(7)):
            film.pointer = (x + 0.11 * view['width'] * share, y + 0.06 * view['width'] * share)
            page.mouse.move(*film.pointer)
            film.take(goes_on=False)  # it takes no time: the hand is on its way
        page.mouse.up()
        page.wait_for_timeout(1000)  # the server knows of it, and the world takes the next step
        film.pointer = (FILM['width'], 0.0)  # out of sight
        while not page.locator('.verdict [role=status]').count():
            page.locator('.attempts').evaluate('part => part.scrollIntoView()')
            film.take()
        page.locator('.verdict').evaluate('part => part.scrollIntoView()')
        film.take()
        film.save(file)
        page.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('images', type=Path, help='folder for the pictures')
    arguments.add_argument('--only', choices=('pictures', 'film'), help='default: both')
    images, only = (given := arguments.parse_args()).images, given.only
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = chromium(play, solid=True)
        if only != 'film':
            server = Served(Path(folder) / 'pictures')
            try:
                taken(browser, server, images)
            finally:
                server.close()
        if only != 'pictures':
            filmed(browser, Path(folder) / 'film', images / 'drag_while_it_picks.webp')
        browser.close()


if __name__ == '__main__':
    main()
