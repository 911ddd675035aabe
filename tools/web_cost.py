"""What the page costs: the same picks alone, behind a server that nobody watches, and watched.

Run it as `.venv/bin/python tools/web_cost.py`. It needs Chromium and playwright (make web installs
both). All picks are in one run and take turns, so the ratios hold also on a busy machine.
"""

from __future__ import annotations

import argparse
import json
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
            [sys.executable, '-m', 'replan_agent.web', '--port', '0', '--pace', '0',
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

    def picked(self) -> float:
        folder = self.runs / self.post('api/task', task=TASK)['run']
        while not (folder / 'result.json').exists():
            time.sleep(0.05)
        time.sleep(0.2)  # the desk notices the end
        return wall_s(folder)

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def chromium(play: Any) -> Any:
    return play.chromium.launch(executable_path=shutil.which('chromium'),
                                args=['--no-sandbox', '--disable-gpu'])


@contextmanager
def open_page(browser: Any, url: str) -> Iterator[Any]:
    """A page that shows the arm."""
    page = browser.new_page()
    page.goto(url)
    page.locator('.picture img:visible').wait_for()
    yield page
    page.close()


def pictures(page: Any) -> int:
    """How many pictures the page has asked for."""
    return int(page.evaluate(
        "performance.getEntriesByType('resource').filter(e => e.name.includes('picture')).length"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('--n', type=int, default=15, help='picks of each kind (default: 15)')
    count = arguments.parse_args().n
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = chromium(play)
        server = Served(Path(folder) / 'served', '--approver', 'auto', '--scene', SCENE)
        for seed in range(count + 1):
            times = [alone(seed, Path(folder))]
            server.start_world(seed)
            times.append(server.picked())
            server.start_world(seed)
            with open_page(browser, server.url) as page:
                before = pictures(page)
                times.append(server.picked())
                times.append(pictures(page) - before)
            if seed:  # the first of each loads code
                rows.append(times)
        server.close()
        browser.close()
    for name, column, base in (('alone', 0, 0), ('served', 1, 0), ('watched', 2, 1)):
        ratio = statistics.median(row[column] / row[base] for row in rows)
        against = '' if column == base else f', {ratio:.2f} of {("alone", "served")[base]}'
        print(f'{name:8} {statistics.median(row[column] for row in rows):.2f} s a pick{against}')
    print(f'pictures while watched: {statistics.median(row[3] for row in rows):g} a pick')


if __name__ == '__main__':
    main()
