"""Runs jobs on processes of this machine, and yields their outcomes as they come.

The seed alone decides an outcome, apart from times.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from replan_agent.domain.config import Config

from ..all_suites import find_suite
from ..outcome import CannotLoad, Job, Outcome, crashed, not_loaded

Runner = Callable[[Config, Sequence[Job]], Iterator[Sequence[Outcome]]]


def run_job(config: Config, job: Job) -> Sequence[Outcome]:
    """The outcomes of a job. If the job raises, they are `crashed`, with the error.

    If its thing cannot be loaded, they are `not_loaded`.
    """
    suite = find_suite(job.suite)
    try:
        return suite.run(config, job, None)
    except CannotLoad as error:
        return [not_loaded(suite.outcome, job, column, error) for column in suite.columns_of(job)]
    except Exception as error:  # noqa: BLE001 the process's edge: the other episodes go on
        return [crashed(suite.outcome, job, column, error) for column in suite.columns_of(job)]


def processes(count: int) -> Runner:
    """A runner on `count` processes of this machine. With 1 it uses this process."""
    return partial(_run_in_processes, count)


def _run_in_processes(count: int, config: Config, jobs: Sequence[Job],
                      ) -> Iterator[Sequence[Outcome]]:
    if count == 1:
        for job in jobs:
            yield run_job(config, job)
        return
    # Spawn, not fork: a fork would inherit threads and graphics.
    context = multiprocessing.get_context('spawn')
    pool = ProcessPoolExecutor(min(count, len(jobs)) or 1, context, initializer=_ignore_ctrl_c)
    try:
        futures = [pool.submit(run_job, config, job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_ctrl_c() -> None:
    """Only the main process handles Ctrl-C: it shows the table."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
