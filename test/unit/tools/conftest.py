# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Makes tools/ros_runtime importable, which is no part of the package."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / 'tools'))
