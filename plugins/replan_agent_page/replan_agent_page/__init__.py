# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of replan_agent, and its MCP server."""
