# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests."""

import importlib.util
import sys
from pathlib import Path

import plugin_paths  # noqa: F401

# The pytest of Jazzy cannot import relatively in this import mode (pyproject.toml).
sys.path.insert(0, str(Path(__file__).parent))

from ros_fixtures import *  # noqa: E402 F403

# The stand-in of a real arm speaks their types; with an installed ROS 2 they are optional.
if importlib.util.find_spec('franka_msgs') is None:
    collect_ignore = ['test_hardware_robot.py', 'test_arm_guard.py', 'test_same_failures.py']
