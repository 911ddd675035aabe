# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Workers for the tests are beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
