"""MoveIt as the motion planner of replan_agent: paths are MoveIt's, every check is ours."""
