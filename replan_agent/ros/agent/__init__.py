"""The agent over ROS: clients of the other nodes, the task runner, approval, hints, topics."""
