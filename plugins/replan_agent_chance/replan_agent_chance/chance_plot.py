# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draws how right chances were, and how many questions they save.

    python -m replan_agent_chance.chance_plot chance.png chance.json
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replan_agent_bench.report.suite_plot import check_plotting, figure_class

from replan_agent.text.file_bytes import write_whole

from .chance_numbers import ChanceOutcome, reliability
from .fitting import told_in
from .questions import curve

BLUE, GREY = '#2f6db3', '#8a8f94'


def draw(path: Path, outcomes: Sequence[ChanceOutcome]) -> None:
    """Write the picture. Raises ConfigError or NotWritten."""
    check_plotting(path)
    figure = figure_class()(figsize=(9, 4), layout='constrained')
    right, asked = figure.subplots(1, 2)
    _reliability(right, outcomes)
    _questions(asked, outcomes)
    for axes in (right, asked):
        axes.grid(color='#e3e5e8')
        axes.set_axisbelow(True)
        axes.spines[['top', 'right']].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=120, format=path.suffix[1:].lower())
    write_whole(path, drawn.getvalue())


def _reliability(axes: Any, outcomes: Sequence[ChanceOutcome]) -> None:
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    for line in reliability(outcomes):
        axes.plot([line['told']] * 2, [line['worked_low'], line['worked_high']], color=BLUE,
                  alpha=0.45, linewidth=3)
        axes.plot(line['told'], line['worked'], 'o', color=BLUE)
        axes.annotate(f'{line["n"]:.0f}', (line['told'], line['worked']), fontsize=8,
                      xytext=(6, -8), textcoords='offset points')
    axes.set(xlabel='chance that was told', ylabel='share that worked (95 %, and n)',
             title=f'How right it is (n={len(outcomes)})')


def _questions(axes: Any, outcomes: Sequence[ChanceOutcome]) -> None:
    for label, colour, likely in (
            ('the least likely plan first', BLUE, [o.chance or 0.0 for o in outcomes]),
            ('the riskiest plan first (adaptive)', GREY, [-o.risk for o in outcomes])):
        asked, good = zip(*curve(outcomes, likely))
        axes.plot(asked, good, color=colour, label=label)
    axes.set(xlabel='share of plans that a person is asked about',
             ylabel='share without a failure unasked', title='What a question is worth')
    axes.legend(loc='lower right', frameon=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('picture', type=Path, help='a .png, .svg or .pdf file')
    parser.add_argument('files', type=Path, nargs='+', help='of bench --suite chance --json')
    arguments = parser.parse_args()
    draw(arguments.picture, [told.outcome for file in arguments.files for told in told_in(file)])


if __name__ == '__main__':
    main()
