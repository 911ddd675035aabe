"""robosuite's Panda behind the ports of replan_agent, and its tasks as a benchmark suite."""
