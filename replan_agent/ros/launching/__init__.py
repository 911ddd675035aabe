"""For the launch files: shared arguments, and the writer of the Gazebo world."""
