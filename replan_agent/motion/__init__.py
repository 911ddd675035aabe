"""Inverse kinematics, grasps, paths and timing."""
