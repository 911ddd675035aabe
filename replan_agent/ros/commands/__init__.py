"""The ROS commands of `replan-agent`."""
