"""`python3 -m replan_agent.mcp_server`: `replan-agent mcp`, also where nothing is installed."""

import sys

from .mcp_command import main

sys.exit(main())
