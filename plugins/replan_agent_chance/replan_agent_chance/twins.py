# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The twins of a plan in the order of their numbers, one by one or in several processes."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, TimeoutError

from replan_agent_bench.running.workers import worker_pool

from replan_agent.domain.context import Context

from .sampled_twin import Ran, Trial, run_twin

POLL_S, SAY_S = 0.1, 2.0  # between two words to people who wait


def twins(trial: Trial, numbers: Sequence[int], jobs: int, ctx: Context) -> Iterator[Ran]:
    """How the plan goes in each of these twins. Raises what `ctx` raises."""
    if jobs > 1:
        yield from _in_processes(trial, numbers, jobs, ctx)
        return
    told_at = time.monotonic()
    for done, number in enumerate(numbers):
        ctx.check()
        if time.monotonic() > told_at + SAY_S:
            told_at = time.monotonic()
            ctx.report(f'it runs in twins first: {done} of at most {len(numbers)} so far')
        yield run_twin(trial, number, ctx)


def _in_processes(trial: Trial, numbers: Sequence[int], jobs: int, ctx: Context) -> Iterator[Ran]:
    """No more than `jobs` run ahead of who reads them. None goes on after that."""
    others = set(multiprocessing.active_children())
    pool = worker_pool(min(jobs, len(numbers)))
    waiting = [pool.submit(run_twin, trial, number) for number in numbers[:jobs]]
    try:
        for done in range(len(numbers)):
            yield _done(waiting[done], ctx)
            waiting += [pool.submit(run_twin, trial, number)
                        for number in numbers[done + jobs:done + jobs + 1]]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.kill()


def _done(future: Future[Ran], ctx: Context) -> Ran:
    while True:
        ctx.check()
        try:
            return future.result(POLL_S)
        except TimeoutError:
            continue
