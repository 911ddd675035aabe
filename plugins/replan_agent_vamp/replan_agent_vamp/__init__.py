"""VAMP's paths, checked and timed by replan_agent."""
