# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of the table and panels of the plot that several suites show."""

from __future__ import annotations

import math
from typing import Any

from rich.text import Text

from replan_agent_bench.suite import Cell, Panel
from replan_agent_bench.summary import Summary


def percent(share: float) -> str:
    """One decimal; 100 and 0 only if it is exactly that. A share of nothing is a dash."""
    if math.isnan(share):
        return '–'
    if share in (0.0, 1.0):
        return f'{100 * share:.0f}'
    return f'{min(max(100 * share, 0.1), 99.9):.1f}'


def count(n: int) -> Text:
    """A count of what should not happen."""
    return Text(str(n), 'bold red' if n else '')


def _bar(s: Summary[Any]) -> Text:
    if s.bar is None:
        return Text('–')
    return Text(f'{100 * s.bar:.0f}', 'green' if s.meets_bar else 'bold red')


OK: Cell[Any] = Cell('ok %', '', lambda s: percent(s.rate))
INTERVAL: Cell[Any] = Cell('95 %', 'Wilson interval',
                           lambda s: f'{percent(s.low)}–{percent(s.high)}')
BAR: Cell[Any] = Cell('bar', '', _bar)
FALSE: Cell[Any] = Cell('false', 'claimed success, but failed', lambda s: count(s.false_successes))
ROBOT: Cell[Any] = Cell('robot', 's an episode, median', lambda s: f'{s.robot_median_s:.1f}')

SUCCESS: Panel[Any] = Panel(
    'success, % with Wilson 95 % interval (grey: the bar)', lambda s: 100 * s.rate,
    lambda s: (100 * s.low, 100 * s.high),
    target=lambda s: None if s.bar is None else 100 * s.bar, zoomed=True, high=100.5)
