"""What the ROS tests share. They run in the runtime:  tools/ros run python3 -m pytest test/ros"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

if importlib.util.find_spec('rclpy') is None:
    raise pytest.UsageError('no rclpy: run  tools/ros run python3 -m pytest test/ros')


@pytest.fixture(scope='session')
def ros() -> Iterator[Any]:
    """An initialised rclpy."""
    import rclpy

    rclpy.init()
    yield rclpy
    rclpy.try_shutdown()
