# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plug-in, and the one that it stands on, can be tested where they are not installed."""

import sys
from pathlib import Path

for name in ('replan_agent_contact', 'replan_agent_robosuite', 'replan_agent_libero'):
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / name))
