"""Who runs the episodes: this process, processes on all cores, or a Ray cluster.

Every runner yields outcomes as they come; the seed decides what is in them, not the runner.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from replan_agent.domain.config import Config

from .episode import Job, run_job
from .outcome import Outcome

Runner = Callable[[Config, Sequence[Job]], Iterator[Outcome]]


def here(config: Config, jobs: Sequence[Job]) -> Iterator[Outcome]:
    """One after the other in this process."""
    for job in jobs:
        yield run_job(config, job)


def processes(count: int) -> Runner:
    """A runner on `count` processes of this machine; one is this process itself."""
    return here if count == 1 else partial(_in_processes, count)


def _in_processes(count: int, config: Config, jobs: Sequence[Job]) -> Iterator[Outcome]:
    # Fresh processes, as on every platform: a fork would inherit threads and graphics.
    context = multiprocessing.get_context('spawn')
    pool = ProcessPoolExecutor(min(count, len(jobs)) or 1, context, initializer=_leave_ctrl_c)
    try:
        futures = [pool.submit(run_job, config, job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c() -> None:
    """Ctrl-C is for the process that has the table."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
