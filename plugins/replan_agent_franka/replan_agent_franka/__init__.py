"""A Franka over franka_ros2: its gripper, and the stops that it makes by itself."""
