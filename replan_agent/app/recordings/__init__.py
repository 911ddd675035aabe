"""Recorded runs for others: replayed, and exported for Foxglove and LeRobot."""
