"""What the ROS tests share. They run in the runtime:  tools/ros run python3 -m pytest test/ros"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec('rclpy') is None:
    raise pytest.UsageError('no rclpy: run  tools/ros run python3 -m pytest test/ros')

# The pytest of Jazzy cannot import relatively in this import mode (pyproject.toml).
sys.path.insert(0, str(Path(__file__).parent))

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
    """An initialised rclpy."""
    import rclpy

    rclpy.init()
    yield rclpy
    rclpy.try_shutdown()


@pytest.fixture
def moveit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A MoveItPy of the stand-in; its modules exist during the test."""
    import moveit_stand_in as stand_in

    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, 'replan_agent.ros.moveit.moveit_scene', raising=False)
    from replan_agent.ros.moveit.moveit_config import TOPICS, for_moveit_py

    yield stand_in.MoveItPy(config_dict=for_moveit_py(stand_in.PARAMETERS), remappings=TOPICS)
    sys.modules.pop('replan_agent.ros.moveit.moveit_scene', None)


# The stand-in of a real arm speaks their types; with an installed ROS 2 they are optional.
if importlib.util.find_spec('franka_msgs') is None:
    collect_ignore = ['test_hardware_robot.py', 'test_arm_guard.py', 'test_same_failures.py']
