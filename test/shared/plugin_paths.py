# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Our packages in plugins/ can be imported from the checkout, installed or not."""

from __future__ import annotations

import sys
from pathlib import Path

PLUGINS = Path(__file__).resolve().parents[2] / 'plugins'
sys.path[:0] = [str(setup.parent) for setup in PLUGINS.glob('*/setup.py')]
