"""LIBERO's tasks behind the ports of replan_agent, and as a benchmark suite."""
