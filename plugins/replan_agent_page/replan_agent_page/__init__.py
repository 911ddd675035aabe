"""The page of replan_agent, and its MCP server."""
