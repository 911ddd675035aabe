"""For the launch files: what they share."""
