"""The camera over ROS: its pictures and its pose."""
