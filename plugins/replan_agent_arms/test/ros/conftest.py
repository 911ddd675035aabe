# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests, and small arms that the tests write themselves."""

import importlib.util
import sys
from pathlib import Path

TESTS = Path(__file__).parents[4] / 'test'
sys.path[:0] = [str(TESTS / 'ros'), str(TESTS / 'shared'), str(Path(__file__).parent),
                str(Path(__file__).parents[1] / 'unit')]

from ros_fixtures import *  # noqa: E402 F403

# The stand-in speaks their types; with an installed ROS 2 they are optional.
if importlib.util.find_spec('controller_manager_msgs') is None:
    collect_ignore = ['test_other_arm.py']
