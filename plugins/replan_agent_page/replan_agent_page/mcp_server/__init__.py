# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An MCP server: any assistant can look, ask for tasks and stop, and never approves a plan."""
