# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Collects outcomes and shows a progress bar; without a terminal, a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from replan_agent_bench.outcome import Outcome

BETWEEN_LINES_S = 20.0


def gather(coming: Iterator[Sequence[Outcome]], total: int,
           console: Console) -> tuple[list[Outcome], bool]:
    """All outcomes in the order in which they came, and whether they are complete.

    After Ctrl-C they are the outcomes so far.
    """
    bars = ('[progress.description]{task.description}', BarColumn(), MofNCompleteColumn(),
            TimeRemainingColumn())
    found: list[Outcome] = []
    failed, told_at = 0, time.monotonic()
    with Progress(*bars, console=console, transient=True) as progress:
        bar = progress.add_task('episodes', total=total)
        try:
            for outcomes in coming:
                found += outcomes
                failed += sum(not o.success for o in outcomes)
                progress.update(bar, advance=len(outcomes),
                                description=f'episodes, {failed} failed')
                if not console.is_terminal and time.monotonic() - told_at > BETWEEN_LINES_S:
                    told_at = time.monotonic()
                    print(f'{len(found)} of {total} episodes, {failed} failed', file=sys.stderr,
                          flush=True)
        except KeyboardInterrupt:
            progress.update(bar, description='stopping after the current episodes')
            return found, False
        finally:
            getattr(coming, 'close', lambda: None)()
    return found, True
