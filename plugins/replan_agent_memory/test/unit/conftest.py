# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fakes of the loop and failures in a line are beside the tests of the core."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / 'test' / 'unit'))
