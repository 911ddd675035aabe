"""Outcomes under a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

T = TypeVar('T')


def gathered(coming: Iterator[T], total: int, console: Console, what: str = 'episodes',
             remark: Callable[[Sequence[T]], str] = lambda found: '') -> tuple[list[T], bool]:
    """All that comes, in the order in which it came, and whether it is complete.

    Ctrl-C keeps what is there so far. `remark` is shown behind `what`.
    """
    columns = ('[progress.description]{task.description}', BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())
    found: list[T] = []
    complete = True
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(what, total=total)
        try:
            for outcome in coming:
                found.append(outcome)
                progress.update(bar, advance=1, description=what + remark(found))
        except KeyboardInterrupt:
            complete = False
            progress.update(bar, description='stopping: what is under way is finished first')
        finally:
            getattr(coming, 'close', lambda: None)()
    return found, complete
