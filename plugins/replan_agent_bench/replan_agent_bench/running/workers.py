# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on processes of this machine, and yields their outcomes as they come.

The seed alone decides an outcome, apart from times.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from replan_agent.app.terminal.threads import one_thread_for_matrices
from replan_agent.domain.config import Config
from replan_agent_bench.all_suites import find_suite
from replan_agent_bench.outcome import CannotLoad, Job, Outcome, crashed, not_loaded

STOPPING = 'stopping after the current episodes'  # which may take minutes

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
    pool = worker_pool(min(count, len(jobs)) or 1)
    try:
        futures = [pool.submit(run_job, config, job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    except KeyboardInterrupt:  # it is not shown before the episodes have ended
        print(STOPPING, file=sys.stderr, flush=True)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def worker_pool(count: int) -> ProcessPoolExecutor:
    """Processes that end with this one, however it ends. Each uses one thread for matrices."""
    one_thread_for_matrices()  # also where a script began, not our command
    # Spawn, not fork: a fork would inherit threads and graphics.
    context = multiprocessing.get_context('spawn')
    return ProcessPoolExecutor(count, context, initializer=_begin_worker)


def _begin_worker() -> None:
    """Only the main process handles Ctrl-C: it shows the table."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A main process that is killed tells nobody: an episode would go on for nothing."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # it is a worker
    parent.join()
    os._exit(1)
