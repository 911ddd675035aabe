# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A picture of a suite's table: its panels side by side, the rows one below the other."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import write_whole
from replan_agent_bench.suite import Panel, Suite
from replan_agent_bench.summary import Summary

SUFFIXES = ('.png', '.svg', '.pdf')
RED, GREY, DARK = '#c0392b', '#8a8f94', '#333333'
ROW_SHARE = 0.8  # of the height of a row that its bars take together


def check_plotting(path: Path) -> None:
    """Raise ConfigError if `path` cannot be plotted. The message says what to do."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f'--plot: {path} must end with one of {", ".join(SUFFIXES)}')
    figure_class()


def write_plot(path: Path, title: str, suite: Suite[Any, Any, Any],
               lines: Sequence[Summary[Any]]) -> None:
    """Draw to `path`, a .png, .svg or .pdf file. Raises NotWritten."""
    rows = {line.row: f'{line.title}  (n={line.n})' for line in lines}
    height = 1.8 + len(rows) * (0.3 + 0.12 * len(suite.columns))
    figure = figure_class()(figsize=(10, height), layout='constrained')
    ratios = (3, *[2] * (len(suite.panels) - 1))
    all_axes = figure.subplots(1, len(suite.panels), sharey=True, width_ratios=ratios,
                               squeeze=False)[0]
    for axes, panel in zip(all_axes, suite.panels):
        _draw(axes, panel, suite, list(rows), lines)
    all_axes[0].set_yticks(range(len(rows)), list(rows.values()))
    all_axes[0].set_ylim(len(rows) - 0.4, -0.6)  # the first row is at the top
    figure.suptitle(title, fontsize=11)
    if len(suite.columns) > 1:
        handles = [all_axes[0].barh(-9, 0, color=c.colour,
                                    label=f'{c.label}: {c.about}' if c.about else c.label)
                   for c in suite.columns]
        figure.legend(handles=handles, loc='outside lower center', frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=150, format=path.suffix[1:].lower())
    write_whole(path, drawn.getvalue())


def _draw(axes: Any, panel: Panel[Any], suite: Suite[Any, Any, Any], rows: Sequence[str],
          lines: Sequence[Summary[Any]]) -> None:
    columns = [column.name for column in suite.columns]
    thick = ROW_SHARE / len(columns)
    for line in lines:
        y = rows.index(line.row) + thick * (columns.index(line.column) - (len(columns) - 1) / 2)
        _draw_line(axes, panel, line, y, 0.9 * thick, suite.column(line.column).colour)
    if panel.zoomed:
        lowest = min(panel.interval(line)[0] if panel.interval else panel.value(line)
                     for line in lines)
        axes.set_xlim(max(0.0, min(90.0, lowest - 2)), panel.high)
    else:
        axes.set_xlim(0, panel.high)
    axes.set_xlabel(panel.label)
    axes.grid(axis='x', color='#e3e5e8')
    axes.set_axisbelow(True)
    axes.spines[['top', 'right']].set_visible(False)


def _draw_line(axes: Any, panel: Panel[Any], line: Summary[Any], y: float, height: float,
               colour: str) -> None:
    value, target = panel.value(line), panel.target(line)
    if target is not None:
        axes.plot(target, y, '|', color=GREY, markersize=14, markeredgewidth=2)
        colour = RED if value < target else colour
    if panel.zoomed:
        axes.plot(value, y, 'o', color=colour, clip_on=False)
    else:
        axes.barh(y, value, height=height, color=colour)
    if panel.interval:
        style = {'color': colour, 'linewidth': 3, 'alpha': 0.45} if panel.zoomed else {
            'color': DARK, 'linewidth': 1}
        axes.plot(panel.interval(line), [y, y], **style)


def figure_class() -> Any:
    """Matplotlib's Figure, which draws to files and needs no screen."""
    try:
        from matplotlib.figure import Figure  # slow to import, and optional
    except ImportError:
        raise ConfigError('--plot needs matplotlib, which is not installed: '
                          "pip install 'replan_agent_bench[plot]'") from None
    return Figure
