# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures without a renderer, and malformed replies, are beside the tests of the core."""

import sys
from pathlib import Path

UNIT = Path(__file__).parents[4] / 'test' / 'unit'
sys.path[:0] = [str(UNIT / 'perceive'), str(UNIT / 'plan')]
