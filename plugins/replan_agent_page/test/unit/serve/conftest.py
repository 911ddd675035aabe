# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stand-in of this folder can be imported by its name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
