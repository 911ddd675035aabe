# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of a suite for the terminal, and a list of the failed episodes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from replan_agent.text.file_bytes import write_whole
from replan_agent_bench.outcome import Outcome
from replan_agent_bench.suite import Suite
from replan_agent_bench.summary import Summary


def suite_table(suite: Suite[Any, Any, Any], lines: Sequence[Summary[Any]],
                complete: bool = True) -> Table:
    """One line for each row and column of the suite; it fits 80 columns."""
    meanings = [f'{cell.heading}: {cell.about}' for cell in suite.cells if cell.about]
    meanings += [f'{column.label}: {column.about}' for column in suite.columns if column.about]
    table = Table(title=suite_title(suite, complete), title_justify='left',
                  caption=' · '.join(meanings), caption_justify='left', box=box.SIMPLE_HEAD,
                  padding=0, pad_edge=False, show_edge=False)
    table.add_column(suite.row_heading, no_wrap=True)
    if suite.column_heading:
        table.add_column(suite.column_heading, no_wrap=True)
    for heading in ('n', *(cell.heading for cell in suite.cells)):
        table.add_column(heading, justify='right', no_wrap=True)
    last = ''
    for line in lines:
        label = [suite.column(line.column).label] if suite.column_heading else []
        table.add_row(line.title if line.row != last else '', *label, str(line.n),
                      *(cell.show(line) for cell in suite.cells))
        last = line.row
    return table


def write_markdown(path: Path, table: Table) -> None:
    """Write the table for a document; title and caption become sentences. Raises NotWritten."""
    title, caption, table.title, table.caption = table.title, table.caption, None, None
    table.box, table.padding, table.show_edge, table.pad_edge = box.MARKDOWN, (0, 1), True, True
    text = io.StringIO()
    Console(file=text, width=250).print(table)
    write_whole(path, f'{text.getvalue()}\n{title}. {caption}\n')


def suite_title(suite: Suite[Any, Any, Any], complete: bool = True) -> str:
    return f'{suite.name}: {suite.title}' + ('' if complete else ' (interrupted: partial)')


def speed_lines(outcomes: Sequence[Outcome], took_s: float) -> list[str]:
    """How many cores the episodes kept busy; nothing if they were not timed.

    The speed-up against one process, as long as an episode needs the same processor time in both.
    """
    cpu_s = sum(o.cpu_s for o in outcomes)
    if not cpu_s or not took_s:
        return []
    return [f'{len(outcomes)} episodes in {took_s:.1f} s with {cpu_s:.1f} s of processor time: '
            f'{cpu_s / took_s:.1f} cores busy']


def left_out_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """The episodes that did not take place, and why; they are not in the table."""
    return [f'cannot be loaded: {o.row} seed {o.seed}: {o.final_detail}'
            for o in outcomes if not o.took_place]


def flaw_lines(suite: Suite[Any, Any, Any], outcomes: Sequence[Outcome]) -> list[str]:
    """Each episode with a flaw, with its seed, and the command that shows one again."""
    lines: list[str] = []
    shown: dict[str, int] = {}
    flawed = [(o, found) for o in outcomes if o.took_place and (found := suite.flaws(o))]
    for outcome, found in flawed:
        which = f'{outcome.row}/{outcome.column}' if outcome.column else outcome.row
        shown[which] = shown.get(which, 0) + 1
        if shown[which] <= suite.shown_flaws:
            lines.append(f'{which} seed {outcome.seed}: ' + '; '.join(found))
    lines += [f'{which}: {count - suite.shown_flaws} more (all are in --json)'
              for which, count in shown.items() if count > suite.shown_flaws]
    lines += [f'see one again: replan-agent bench --suite {suite.name} --rows {o.row} '
              f'--seed {o.seed} --n 1 --video {o.row}-{o.seed}.mp4'
              for o, _ in flawed if o.column == suite.filmed][:1]
    return lines
