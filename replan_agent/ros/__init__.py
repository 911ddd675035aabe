"""ROS 2: nodes, message conversions, ports over ROS. Only this folder knows ROS."""
