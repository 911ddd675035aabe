"""The twins of a plan in the order of their numbers, one by one or in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, TimeoutError

from replan_agent_bench.running.workers import worker_pool

from replan_agent.domain.context import Context

from .sampled_twin import Ran, Trial, run_twin

POLL_S = 0.1


def twins(trial: Trial, most: int, jobs: int, ctx: Context) -> Iterator[Ran]:
    """How the plan goes in each twin, up to `most`. Raises what `ctx` raises."""
    if jobs > 1:
        yield from _in_processes(trial, most, jobs, ctx)
        return
    for number in range(most):
        ctx.check()
        yield run_twin(trial, number, ctx)


def _in_processes(trial: Trial, most: int, jobs: int, ctx: Context) -> Iterator[Ran]:
    """No more than `jobs` run ahead of who reads them."""
    pool = worker_pool(min(jobs, most))
    waiting = [pool.submit(run_twin, trial, number) for number in range(min(jobs, most))]
    try:
        for number in range(most):
            yield _done(waiting[number], ctx)
            if number + jobs < most:
                waiting.append(pool.submit(run_twin, trial, number + jobs))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _done(future: Future[Ran], ctx: Context) -> Ran:
    while True:
        ctx.check()
        try:
            return future.result(POLL_S)
        except TimeoutError:
            continue
