"""What came of the faults: kept as JSON, shown as a table."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Outcome:
    fault: str
    end: str  # final_reason, or what was seen instead
    stop_s: float | None  # robot time from the fault to standstill, if it must stop the arm
    problems: tuple[str, ...] = ()
    hands: bool = False  # reset_stop was needed
    lost: bool = False  # a run has no result.json
    number: int = 0
    answer_s: float | None = None  # wall time from the fault to the answer
    detail: str = ''  # final_detail


def write(file: Path, settings: dict[str, Any], outcomes: Iterable[Outcome]) -> None:
    """Write the outcomes in order; an old file is there until the new one is whole."""
    whole = {'settings': settings,
             'outcomes': [asdict(o) for o in sorted(outcomes, key=lambda o: o.number)]}
    new = file.with_name(f'{file.name}.new')
    new.write_text(json.dumps(whole, indent=1) + '\n', 'utf-8')
    new.replace(file)


def read(file: Path) -> tuple[dict[str, Any], list[Outcome]]:
    """The settings and outcomes in a file of `write`."""
    whole = json.loads(file.read_text('utf-8'))
    return whole['settings'], [Outcome(**{**kept, 'problems': tuple(kept['problems'])})
                               for kept in whole['outcomes']]


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes by fault, as Markdown; the last line is about all."""
    lines = ['| fault | tried | survived | ends | to standstill, s (median, worst) | to the '
             'answer, s (median, worst) | needed reset_stop | runs lost |',
             '|---|---|---|---|---|---|---|---|']
    for name in sorted({outcome.fault for outcome in outcomes}):
        of_it = [outcome for outcome in outcomes if outcome.fault == name]
        lines.append(_line(name, of_it, ', '.join(sorted({outcome.end for outcome in of_it}))))
    return '\n'.join([*lines, _line('all', outcomes, '')])


def problems(outcomes: Iterable[Outcome]) -> str:
    """What went wrong, a line for each task."""
    return '\n'.join(f'- task {o.number}, {o.fault}: {"; ".join(o.problems)} (ended: {o.end})'
                     for o in outcomes if o.problems)


def _line(name: str, of_it: Sequence[Outcome], ends: str) -> str:
    cells = (name, len(of_it), sum(not o.problems for o in of_it), ends,
             _middle_and_worst(o.stop_s for o in of_it),
             _middle_and_worst(o.answer_s for o in of_it),
             sum(o.hands for o in of_it), sum(o.lost for o in of_it))
    return f'| {" | ".join(map(str, cells))} |'


def _middle_and_worst(given: Iterable[float | None]) -> str:
    times = [time for time in given if time is not None]
    return f'{statistics.median(times):.2f}, {max(times):.2f}' if times else ''
