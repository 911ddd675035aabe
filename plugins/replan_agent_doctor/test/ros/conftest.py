# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests; with an installed ROS 2 Franka's messages are optional."""

import importlib.util
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[4] / 'test' / 'ros')]

from ros_fixtures import *  # noqa: E402 F403

if importlib.util.find_spec('franka_msgs') is None:
    collect_ignore = ['test_doctor.py']
