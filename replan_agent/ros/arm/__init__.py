"""The arm behind standard interfaces: robot, grippers, joint states, stops, errors."""
