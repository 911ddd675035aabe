"""An MCP server: any assistant can look, ask for tasks and stop, and never approves a plan."""
