# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the ROS tests share, here and in plugins/*/test/ros. They run in the runtime:

    tools/ros run python3 -m pytest test/ros
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec('rclpy') is None:
    raise pytest.UsageError('no rclpy: run  tools/ros run python3 -m pytest test/ros')

# Workers of pytest-xdist run at the same time: each has a graph of its own, as have the processes
# that its tests start.
if 'PYTEST_XDIST_WORKER' in os.environ:
    sys.path.append(str(Path(__file__).parents[2] / 'tools'))
    from ros_runtime.environment import reserve_domain

    os.environ['ROS_DOMAIN_ID'] = reserve_domain()


def pytest_configure(config: pytest.Config) -> None:
    # pytest-xdist would keep the files with few tests, the longest ones, for the end.
    config.option.loadscopereorder = False


@pytest.fixture(scope='session')
def ros() -> Iterator[Any]:
    """An initialised rclpy.

    Each conftest.py has a fixture of its own: the first one in a process initialises, and shuts
    down, as pytest ends it last.
    """
    import rclpy

    first = not rclpy.ok()
    if first:
        rclpy.init()
    yield rclpy
    if first:
        rclpy.try_shutdown()


@pytest.fixture(autouse=True, scope='module')
def nobody_left() -> Iterator[None]:
    """No node of a file is in the graph of the next one.

    A constructor that raises leaves its node there until the garbage is collected, and whoever
    asks the graph about a name is told about the first node that has it.
    """
    yield
    gc.collect()
