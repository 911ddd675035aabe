"""Recorded runs of replan_agent replayed, for Foxglove and LeRobot, and as films with captions."""
