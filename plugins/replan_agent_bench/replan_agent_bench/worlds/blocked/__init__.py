"""Scenes in which a step is blocked, who meddles there, and a planner that leaves it so."""
