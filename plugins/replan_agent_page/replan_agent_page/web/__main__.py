# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python3 -m replan_agent_page.web`: `replan-agent web`, also where nothing is installed."""

import sys

from .web_command import main

sys.exit(main())
