# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python3 -m replan_agent_page.mcp_server`: `replan-agent mcp` where nothing is installed."""

import sys

from .mcp_command import main

sys.exit(main())
