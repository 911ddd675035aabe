# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arm that one can talk with is beside its tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
