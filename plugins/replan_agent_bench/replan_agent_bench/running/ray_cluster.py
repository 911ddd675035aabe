# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Episodes on a Ray cluster: the same jobs, and the same outcomes, as on one machine."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import replan_agent
from replan_agent.domain.config import Config, ConfigError
from replan_agent_bench.outcome import Job, Outcome

from .workers import Runner, run_job

LOCAL, AUTO = 'local', 'auto'  # start one; join the one on this machine
CONNECT_TIMEOUT_S = 5.0
QUIET = {'log_to_driver': False, 'logging_level': logging.ERROR}


def ray_runner(address: str) -> Runner:
    """A runner on the cluster at `address`; 'local' starts one on this machine, and ends it.

    This package's code is sent to a remote cluster. Its machines need the packages that it
    depends on. Raises ConfigError if Ray is missing or there is no cluster.
    """
    return partial(_on_ray, _import_ray(), address)


def _on_ray(ray: Any, address: str, config: Config, jobs: Sequence[Job],
            ) -> Iterator[Sequence[Outcome]]:
    _connect(ray, address)
    try:
        run = ray.remote(num_cpus=1)(run_job)
        shared = ray.put(config)
        waiting = [run.remote(shared, job) for job in jobs]
        while waiting:
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    if address == LOCAL:
        ray.init(address=LOCAL, include_dashboard=False, **QUIET)
        return
    try:
        _check_address(address)  # Ray itself would try for ever
        ray.init(address=address, runtime_env={'py_modules': [replan_agent]}, **QUIET)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(f'--ray {address}: cannot join a cluster there: {error} (the cluster '
                          'must run; if it needs a token, set RAY_AUTH_TOKEN)') from error


def _check_address(address: str) -> None:
    """Raise OSError or ValueError unless something listens at `address` (HOST:PORT)."""
    if address == AUTO:
        return
    host, _, port = address.removeprefix('ray://').rpartition(':')
    if not host or not port.isdigit():
        raise ValueError(f'an address is {LOCAL!r}, {AUTO!r}, HOST:PORT or ray://HOST:PORT')
    socket.create_connection((host, int(port)), CONNECT_TIMEOUT_S).close()


def _import_ray() -> Any:
    try:
        import ray  # slow (0.5 s) and optional
    except ImportError:
        raise ConfigError('--ray needs Ray, which is not installed: '
                          "pip install 'replan_agent_bench[ray]'") from None
    return ray
