"""Hand-eye calibration with a board: where the camera is."""
