"""Builds an agent from settings, embedded and for the ROS nodes."""
