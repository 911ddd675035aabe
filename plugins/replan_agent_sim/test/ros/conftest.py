# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / 'test' / 'ros'))

from ros_fixtures import *  # noqa: E402 F403
