"""What the page costs: the same picks alone, behind a server that nobody watches, and watched.

Run it as `.venv/bin/python tools/web_cost.py`. It needs Chromium and playwright (make web installs
both). All picks are in one run and take turns. Chromium and the process that draws need a
core of their own: on a machine that is busy with other things, look at the CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from replan_agent import Simulation

TASK, SCENE = 'pick up the red cube', 'pick_cube'


def wall_s(folder: Path) -> float:
    """How long the run took, by its own record."""
    last = (folder / 'events.jsonl').read_text(encoding='utf-8').splitlines()[-1]
    return float(json.loads(last)['wall_s'])


def alone(seed: int, runs: Path) -> float:
    with Simulation(SCENE, seed=seed) as sim:
        sim.run(TASK, out=runs / f'alone-{seed}')
    return wall_s(runs / f'alone-{seed}')


class Served:
    """A server in a process of its own."""

    def __init__(self, runs: Path, *words: str) -> None:
        self.runs = runs
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'replan_agent_page.web', '--port', '0', '--pace', '0',
             '--runs', str(runs), *words], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.url = re.findall(r'http://\S+', self.process.stderr.readline())[0]

    def post(self, path: str, **body: Any) -> Any:
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(),
                                         {'Content-Type': 'application/json'})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def start_world(self, seed: int) -> None:
        self.post('api/world', scene=SCENE, seed=seed, planner='search', perception='ground_truth')

    def picked(self) -> tuple[float, float]:
        """Wall time and CPU time of a pick, s."""
        before = self.cpu_s()
        folder = self.runs / self.post('api/task', task=TASK)['run']
        while not (folder / 'result.json').exists():
            time.sleep(0.05)
        used = self.cpu_s() - before
        time.sleep(1.0)  # the desk notices the end
        return wall_s(folder), used

    def cpu_s(self) -> float:
        """What the server's process has used, without the one that draws."""
        stat = Path(f'/proc/{self.process.pid}/stat').read_text(encoding='utf-8')
        user, system = stat.rpartition(')')[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf('SC_CLK_TCK')

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def chromium(play: Any, *, solid: bool) -> Any:
    """With WebGL (in software) or without: then the page shows pictures."""
    flags = ['--use-angle=swiftshader'] if solid else ['--disable-gpu', '--disable-3d-apis']
    return play.chromium.launch(executable_path=shutil.which('chromium'),
                                args=['--no-sandbox', *flags])


@contextmanager
def open_page(browser: Any, url: str) -> Iterator[Any]:
    """A page that shows the arm."""
    page = browser.new_page()
    page.goto(url)
    page.locator('.picture img:visible, .space canvas').first.wait_for()
    yield page
    page.close()


def pictures(page: Any) -> int:
    """How many pictures, or states to draw, the page has asked for."""
    return int(page.evaluate("performance.getEntriesByType('resource')"
                             ".filter(e => /picture|motion/.test(e.name)).length"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('--n', type=int, default=15, help='picks of each kind (default: 15)')
    arguments.add_argument('--solid', action='store_true', help='watched in three dimensions')
    count, solid = (given := arguments.parse_args()).n, given.solid
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = chromium(play, solid=solid)
        server = Served(Path(folder) / 'served', '--approver', 'auto', '--scene', SCENE)
        for seed in range(count + 1):
            server.start_world(seed)
            row = [alone(seed, Path(folder)), *server.picked()]
            server.start_world(seed)
            with open_page(browser, server.url) as page:
                before = pictures(page)
                row += [*server.picked(), pictures(page) - before]
            if seed:  # the first of each loads code
                rows.append(row)
        server.close()
        browser.close()
    alone_s, served_s, served_cpu_s, watched_s, watched_cpu_s, shown = (
        statistics.median(column) for column in zip(*rows))
    print(f'alone    {alone_s:.2f} s a pick')
    print(f'served   {served_s:.2f} s, {_ratio(rows, 1, 0):.2f} of alone; '
          f'CPU {served_cpu_s:.2f} s')
    print(f'watched  {watched_s:.2f} s, {_ratio(rows, 3, 1):.2f} of served; CPU '
          f'{watched_cpu_s:.2f} s, {_ratio(rows, 4, 2):.2f} of served; {shown:g} pictures')


def _ratio(rows: list[list[float]], column: int, base: int) -> float:
    return statistics.median(row[column] / row[base] for row in rows)


if __name__ == '__main__':
    main()
