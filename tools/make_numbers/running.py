"""Runs what an entry of numbers.yaml measures, and writes its file."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any

from replan_agent_bench.stats import wilson

from replan_agent.app.terminal.exits import INTERRUPTED

from .files import NUMBERS, ROOT, NumbersError, code_commit, file_name, write

KEPT = ROOT / 'build' / 'numbers'  # episodes of interrupted runs, and files of others
LEFT_OUT = 'row', 'column', 'n', 'successes', 'low', 'high', 'bar', 'meets_bar', 'rate', 'solver'


@dataclass(frozen=True)
class Order:
    """What to measure: an entry, how much of it, and on what."""

    name: str
    entry: Mapping[str, Any]
    size: str
    jobs: int
    ray: str | None = None

    @property
    def n(self) -> int | None:
        """Episodes of each row; None: as many as the row says."""
        number: int | None = self.entry['n'][self.size]
        return number

    @property
    def cpu_s(self) -> float:
        """Processor time, s."""
        return float(self.entry['cpu_s'] * (self.n or self.entry.get('default_n', 100)))

    @property
    def commands(self) -> list[list[str]]:
        """What bench is asked for, without where the output goes."""
        how_many = [] if self.n is None else ['--n', str(self.n)]
        return [[*shlex.split(part), *how_many] for part in self.entry['bench']]

    @property
    def program(self) -> Path:
        return ROOT / str(self.entry.get('venv', '.venv')) / 'bin' / 'replan-agent'

    @property
    def missing(self) -> str:
        """What must be there before it can run, with the command that brings it; or ''."""
        needs = self.entry.get('needs', {})
        gone = [how for path, how in needs.items() if not (ROOT / path).exists()]
        return '; '.join(gone)


def orders(entries: Mapping[str, Mapping[str, Any]], names: Sequence[str], size: str, jobs: int,
           ray: str | None) -> list[Order]:
    """What of these is measured in this size."""
    return [Order(name, entries[name], size, jobs, ray) for name in names
            if size in entries[name].get('n', {})]


def announced(todo: Sequence[Order]) -> Iterator[str]:
    """How long it takes, before it begins."""
    ready = [order for order in todo if not order.missing]
    for order in todo:
        wait = f'left out; first {order.missing}' if order.missing else _long(order.cpu_s)
        yield f'  {order.name:20} {wait}'
    if ready:
        cpu_s = sum(order.cpu_s for order in ready)
        yield (f'{len(ready)} measurements: {_long(cpu_s)} of processor time, about '
               f'{_long(cpu_s / ready[0].jobs)} with {ready[0].jobs} at a time if nothing else '
               'runs here. After Ctrl-C the same command goes on.')


def _long(seconds: float) -> str:
    return f'{seconds / 3600:.1f} h' if seconds > 5400 else f'{max(1, round(seconds / 60))} min'


def measure(order: Order, commit: str, kept: Path = KEPT, numbers: Path = NUMBERS) -> Path:
    """Run it and write its file. NumbersError if it did not come to its end."""
    stem = kept / commit / file_name(order.name, order.size)
    stem.parent.mkdir(parents=True, exist_ok=True)
    reports, load = [], round(os.getloadavg()[0], 1)
    for number, words in enumerate(order.commands, 1):
        out = Path(f'{stem}.{number}.json')
        keep = [] if '--ik' in words else ['--keep', f'{stem}.{number}.jsonl']
        where = ['--ray', order.ray] if order.ray else ['--jobs', str(order.jobs)]
        code = _ended([order.program, 'bench', *words, *where, *keep, '--json', out])
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise NumbersError(f'{order.name}: `replan-agent bench {shlex.join(words)}` failed; '
                               'its message is above')
        reports.append(json.loads(out.read_text('utf-8')))
    if (now := code_commit()) != commit:
        raise NumbersError(f'{order.name}: the code changed while it ran, from commit {commit} to '
                           f'{now}; measure it again')
    return write(values(order, commit, load, reports), numbers)


def _ended(command: list[str | Path]) -> int:
    """The exit status. After Ctrl-C, which bench gets too, it may end its episodes."""
    bench = subprocess.Popen(command, cwd=ROOT)
    try:
        return bench.wait()
    except KeyboardInterrupt:
        bench.wait()
        raise


def values(order: Order, commit: str, load: float,
           reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A file of numbers, from the reports of bench."""
    return {
        'name': order.name, 'size': order.size, 'carried_over': False, 'commit': commit,
        'date': date.today().isoformat(),
        'machine': None if order.ray else {
            'architecture': platform.machine(), 'cores': os.cpu_count(), 'load': load},
        'command': '; '.join(f'replan-agent bench {shlex.join(w)}' for w in order.commands),
        'lines': [line for report in reports
                  for line in _lines(report, order.entry.get('counts', ('successes', 'n')))]}


def _lines(report: Mapping[str, Any], counts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The lines of a report in our words; `counts` names what is counted, and of how many."""
    good, tried = counts
    for found in report.get('rows') or report['solvers']:
        row, _, column = (found.get('row') or found['solver']).partition('-')
        k, n = found[good], found[tried]
        low, high = wilson(k, n) if n else (None, None)
        cpu_s = [one['cpu_s'] for one in report.get('episodes', ())
                 if one['column'] == found['column'] and found['row'] in ('all', one['row'])]
        yield {'row': row, 'column': column or found.get('column', ''), 'n': n, 'k': k,
               'low': _rounded(low), 'high': _rounded(high), 'episodes': found['n'],
               'cpu_mean_s': _rounded(sum(cpu_s) / len(cpu_s)) if cpu_s else None,
               **{key: _rounded(value) for key, value in found.items()
                  if key not in LEFT_OUT and not isinstance(value, (dict, list))}}


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return float(f'{value:.4g}') if isfinite(value) else None
