"""Collects outcomes and shows a progress bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from replan_agent_bench.outcome import Outcome


def gather(coming: Iterator[Sequence[Outcome]], total: int,
           console: Console) -> tuple[list[Outcome], bool]:
    """All outcomes in the order in which they came, and whether they are complete.

    After Ctrl-C they are the outcomes so far.
    """
    bars = ('[progress.description]{task.description}', BarColumn(), MofNCompleteColumn(),
            TimeRemainingColumn())
    found: list[Outcome] = []
    failed = 0
    with Progress(*bars, console=console, transient=True) as progress:
        bar = progress.add_task('episodes', total=total)
        try:
            for outcomes in coming:
                found += outcomes
                failed += sum(not o.success for o in outcomes)
                progress.update(bar, advance=len(outcomes),
                                description=f'episodes, {failed} failed')
        except KeyboardInterrupt:
            progress.update(bar, description='stopping after the current episodes')
            return found, False
        finally:
            getattr(coming, 'close', lambda: None)()
    return found, True
