"""What the terminal shows: the table of a suite, what went wrong, and the solvers of IK."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from .ik_bench import IKTiming
from .outcome import Outcome
from .summary import Summary, flaws

SHOWN_FLAWS = 8  # of each row; the JSON has all


def suite_table(title: str, summaries: Sequence[Summary]) -> Table:
    """One line for each row; it fits 80 columns. Rows that are seen tell how well they are."""
    columns = SEEN if any(s.perception != 'ground_truth' for s in summaries) else TOLD
    table = Table(title=title, title_justify='left', caption_justify='left', caption=(
        '95 %: Wilson interval · false: claimed, but not so · hit: episodes with an unintended '
        'contact · dist: with something else moved > 5 mm · '
        + ' · '.join(about for _, about, _ in columns) + ' · wall, p95: s an episode'),
        box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column('row', no_wrap=True)
    for heading in ('n', 'ok %', '95 %', 'bar', 'false', 'hit', 'dist', 'wall', 'p95',
                    *(heading for heading, _, _ in columns)):
        table.add_column(heading, justify='right', no_wrap=True)
    for summary in summaries:
        table.add_row(*_cells(summary), *(cell(summary) for _, _, cell in columns))
    return table


def _cells(s: Summary) -> list[str | Text]:
    return [
        s.title, str(s.n), percent(s.rate), f'{percent(s.low)}–{percent(s.high)}',
        _bar(s), _count(s.false_successes), _count(s.with_contact), _count(s.with_disturbed),
        f'{s.wall_median_s:.2f}', f'{s.wall_p95_s:.2f}',
    ]


def _speed(s: Summary) -> str | Text:
    return Text(f'{s.peak_speed:.2f}', 'bold red' if s.over_speed else '')


def _off(s: Summary) -> str | Text:
    if s.seen_median_mm is None or s.seen_p95_mm is None:
        return '–'
    return f'{s.seen_median_mm:.1f}–{s.seen_p95_mm:.1f}'


# Columns at the end of the table: heading, what it means, and its cell.
Column = tuple[str, str, Callable[[Summary], 'str | Text']]
TOLD: tuple[Column, ...] = (
    ('speed', 'speed: highest joint speed / limit', _speed),
    ('× rt', '× rt: robot seconds a wall second', lambda s: f'{s.realtime:.1f}'))
SEEN: tuple[Column, ...] = (
    ('off mm', 'off: median and p95 of how far from its place the target is seen', _off),)


def percent(share: float) -> str:
    """One decimal; 100 and 0 only when it is exactly that."""
    if share in (0.0, 1.0):
        return f'{100 * share:.0f}'
    return f'{min(max(100 * share, 0.1), 99.9):.1f}'


def _bar(s: Summary) -> Text:
    if s.bar is None:
        return Text('–')
    return Text(f'{100 * s.bar:.0f}', 'green' if s.meets_bar else 'bold red')


def _count(n: int) -> Text:
    return Text(str(n), 'bold red' if n else '')


def flaw_lines(suite: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Each episode that was not a clean success, by seed, and how to see it again."""
    lines, shown = [], dict.fromkeys((o.row for o in outcomes), 0)
    flawed = [(o, found) for o in outcomes if (found := flaws(o))]
    for outcome, found in flawed:
        shown[outcome.row] += 1
        if shown[outcome.row] <= SHOWN_FLAWS:
            lines.append(f'{outcome.row} seed {outcome.seed}: ' + '; '.join(found))
    lines += [f'{row}: {count - SHOWN_FLAWS} more (all are in --json)'
              for row, count in shown.items() if count > SHOWN_FLAWS]
    if flawed:
        first = flawed[0][0]
        lines.append(f'see one again: replan-agent bench --suite {suite} --rows {first.row} '
                     f'--seed {first.seed} --n 1 --video {first.row}-{first.seed}.mp4')
    return lines


def ik_table(timings: Sequence[IKTiming]) -> Table:
    table = Table(title='inverse kinematics: random reachable poses, 1 mm and 0.01 rad')
    for heading in ('solver', 'poses', 'solved', 'median ms', 'p95 ms', 'worst pos_err m'):
        table.add_column(heading, justify='left' if heading == 'solver' else 'right')
    for t in timings:
        table.add_row(t.solver, str(t.n), f'{t.solved} ({100 * t.solved / t.n:.1f} %)',
                      f'{t.median_ms:.2f}', f'{t.p95_ms:.2f}', f'{t.worst_pos_err:.1e}')
    return table
