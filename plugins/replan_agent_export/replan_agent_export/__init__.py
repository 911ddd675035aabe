"""Recorded runs of replan_agent for Foxglove and LeRobot, and films with captions."""
