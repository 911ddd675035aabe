# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[4] / 'test'
sys.path[:0] = [str(TESTS / 'ros'), str(TESTS / 'shared')]

from ros_fixtures import *  # noqa: E402 F403
