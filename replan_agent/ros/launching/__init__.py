"""What the launch files use: shared arguments, and the writer of the Gazebo world."""
