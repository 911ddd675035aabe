"""Who runs the episodes: this process, processes on all cores, or a Ray cluster.

Every runner yields outcomes as they come; the seed decides what is in them, not the runner.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from typing import TypeVar

from replan_agent.domain.config import Config

from .motion_episode import Job, run_job
from .outcome import Outcome

J = TypeVar('J')
O = TypeVar('O')  # noqa: E741 an outcome, as J is a job
Runner = Callable[[Config, Sequence[Job]], Iterator[Outcome]]


def here(config: Config, jobs: Sequence[Job]) -> Iterator[Outcome]:
    """One after the other in this process."""
    return spread(run_job, 1, config, jobs)


def processes(count: int) -> Runner:
    """A runner on `count` processes of this machine; one is this process itself."""
    return partial(spread, run_job, count)


def spread(run: Callable[[Config, J], O], count: int, config: Config,
           jobs: Sequence[J]) -> Generator[O, None, None]:
    """What `run` makes of each job, as it comes, on `count` processes."""
    if count == 1:
        for job in jobs:
            yield run(config, job)
        return
    # Fresh processes, as on every platform: a fork would inherit threads and graphics.
    context = multiprocessing.get_context('spawn')
    pool = ProcessPoolExecutor(min(count, len(jobs)) or 1, context, initializer=_leave_ctrl_c)
    try:
        futures = [pool.submit(run, config, job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c() -> None:
    """Ctrl-C is for the process that has the table."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
