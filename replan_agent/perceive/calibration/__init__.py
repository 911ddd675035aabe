"""Where the camera is: hand-eye calibration with a board."""
