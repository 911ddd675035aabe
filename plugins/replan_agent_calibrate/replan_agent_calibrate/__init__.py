"""Where the cameras of replan_agent are: hand-eye calibration with a board."""
