"""MoveIt as the motion planner."""
