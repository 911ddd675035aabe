"""A picture of a suite's table: success with its interval, and wall time, for each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError

from .summary import Summary

SUFFIXES = ('.png', '.svg', '.pdf')
BLUE, RED, GREY = '#2f6db3', '#c0392b', '#8a8f94'


def check_plotting(path: Path) -> None:
    """Raise ConfigError, naming what to change or install, when `path` cannot be plotted."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f'--plot: {path} must end with one of {", ".join(SUFFIXES)}')
    figure_class()


def write_plot(path: Path, title: str, summaries: Sequence[Summary]) -> None:
    """Draw to `path`, a .png, .svg or .pdf file."""
    figure = figure_class()(figsize=(10, 1.4 + 0.42 * len(summaries)), layout='constrained')
    success, wall = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    _draw_success(success, summaries)
    _draw_wall(wall, summaries)
    success.set_yticks(range(len(summaries)), [f'{s.title}  (n={s.n})' for s in summaries])
    success.invert_yaxis()
    for axes in (success, wall):
        axes.grid(axis='x', color='#e3e5e8')
        axes.set_axisbelow(True)
        axes.spines[['top', 'right']].set_visible(False)
    figure.suptitle(title, fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _draw_success(axes: Any, summaries: Sequence[Summary]) -> None:
    for y, s in enumerate(summaries):
        colour = RED if s.meets_bar is False else BLUE
        axes.plot([100 * s.low, 100 * s.high], [y, y], color=colour, linewidth=3, alpha=0.45)
        axes.plot(100 * s.rate, y, 'o', color=colour, clip_on=False)
        if s.bar is not None:
            axes.plot(100 * s.bar, y, '|', color=GREY, markersize=14, markeredgewidth=2)
    lowest = min(100 * s.low for s in summaries)
    axes.set_xlim(max(0.0, min(90.0, lowest - 2)), 100.5)
    axes.set_xlabel('success, % with Wilson 95 % interval (grey: the bar)')


def _draw_wall(axes: Any, summaries: Sequence[Summary]) -> None:
    for y, s in enumerate(summaries):
        axes.barh(y, s.wall_median_s, color=BLUE, height=0.55)
        axes.plot([s.wall_median_s, s.wall_p95_s], [y, y], color=GREY, linewidth=1.5)
    axes.set_xlim(left=0)
    axes.set_xlabel('wall s an episode: median, line to p95')


def figure_class() -> Any:
    """Matplotlib's Figure, which draws to files and needs no screen."""
    try:
        from matplotlib.figure import Figure  # slow to import, and optional
    except ImportError:
        raise ConfigError('--plot needs matplotlib, which is not installed: '
                          "pip install 'replan_agent[bench]'") from None
    return Figure
