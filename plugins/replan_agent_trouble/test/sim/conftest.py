# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plug-in can be tested where it is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
