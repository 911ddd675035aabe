"""The recovery benchmark for people: a table for the terminal, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from replan_agent.replan.local.metrics import LocalMetrics

from .plot import figure_class
from .recovery_episode import BRAIN, COLUMNS, OFF, PLAIN, RecoveryOutcome
from .recovery_summary import RecoverySummary
from .tables import percent

COLOURS = {OFF: '#b9bec4', PLAIN: '#e0a030', BRAIN: '#2f6db3'}
SHOWN_FAILURES = 4  # of each row and column; the JSON has all


def recovery_table(lines: Sequence[RecoverySummary]) -> Table:
    table = Table(title='recovery: ground-truth perception, scripted model', box=box.SIMPLE_HEAD,
                  padding=0, pad_edge=False, show_edge=False,
                  title_justify='left', caption_justify='left', caption=(
                      '95 %: Wilson interval · false: claimed, but not so · att, calls, waste: '
                      'failed attempts, model calls and executed steps that failed, an episode · '
                      'rep: executed calls already proved impossible · robot: s, median'))
    for heading in ('trouble', 'mind', 'n', 'ok %', '95 %', 'false', 'att', 'calls', 'waste',
                    'rep', 'robot'):
        table.add_column(heading, justify='left' if heading in ('trouble', 'mind') else 'right',
                         no_wrap=True)
    last = ''
    for s in lines:
        table.add_row(s.title if s.row != last else '', s.column, str(s.n), percent(s.rate),
                      f'{100 * s.low:.0f}–{100 * s.high:.0f}', str(s.false_successes),
                      f'{s.attempts:.1f}', f'{s.model_calls:.1f}', f'{s.wasted:.1f}',
                      str(s.repeats), f'{s.robot_median_s:.1f}')
        last = s.row
    return table


def local_line(metrics: LocalMetrics) -> str:
    """How the local plannings of the brain went, in a sentence."""
    if not metrics.plannings:
        return 'local planning: none was needed'

    def share(value: float | None) -> str:
        return '–' if value is None else f'{100 * value:.0f} %'

    to_goal = metrics.iterations_to_goal
    return (f'local planning: {metrics.plannings} episodes, {share(metrics.solved_share)} solved'
            + (f' in {to_goal:.1f} iterations' if to_goal is not None else '')
            + f'; reverted {share(metrics.revert_share)}, cancelled {share(metrics.cancel_share)}'
            f', explorations that worked {share(metrics.exploration_success)}')


def failure_lines(outcomes: Sequence[RecoveryOutcome]) -> list[str]:
    """Episodes of the whole brain that failed, by seed, and any false success."""
    lines: list[str] = []
    shown: dict[tuple[str, str], int] = {}
    for o in outcomes:
        if o.success or (o.column != BRAIN and not o.false_success):
            continue
        key = (o.row, o.column)
        shown[key] = shown.get(key, 0) + 1
        if shown[key] <= SHOWN_FAILURES:
            lines.append(f'{o.row}/{o.column} seed {o.seed}: {o.objection}; '
                         f'{o.final_reason}: {o.final_detail}')
    lines += [f'{row}/{column}: {count - SHOWN_FAILURES} more (all are in --json)'
              for (row, column), count in shown.items() if count > SHOWN_FAILURES]
    return lines


def write_recovery_plot(path: Path, lines: Sequence[RecoverySummary]) -> None:
    """Success and model calls of each trouble, a bar for each mind; .png, .svg or .pdf."""
    rows = list(dict.fromkeys(s.row for s in lines))
    titles = {s.row: s.title for s in lines}
    figure = figure_class()(figsize=(10, 1.6 + 0.5 * len(rows)), layout='constrained')
    success, calls = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    for k, column in enumerate(COLUMNS):
        for s in (s for s in lines if s.column == column):
            _bar(success, calls, rows.index(s.row) + 0.27 * (k - 1), s)
    success.set_yticks(range(len(rows)), [titles[row] for row in rows])
    success.invert_yaxis()
    success.set_xlim(0, 101)
    success.set_xlabel('success, % with Wilson 95 % interval')
    calls.set_xlabel('model calls an episode')
    for axes in (success, calls):
        axes.grid(axis='x', color='#e3e5e8')
        axes.set_axisbelow(True)
        axes.spines[['top', 'right']].set_visible(False)
    handles = [success.barh(-9, 0, color=COLOURS[c], label=f'{c}: {about}')
               for c, about in COLUMNS.items()]
    success.set_ylim(len(rows) - 0.4, -0.6)
    figure.legend(handles=handles, loc='outside lower center', ncols=1, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _bar(success: Any, calls: Any, y: float, s: RecoverySummary) -> None:
    colour = COLOURS[s.column]
    success.barh(y, 100 * s.rate, height=0.24, color=colour)
    success.plot([100 * s.low, 100 * s.high], [y, y], color='#333333', linewidth=1)
    calls.barh(y, s.model_calls, height=0.24, color=colour)
