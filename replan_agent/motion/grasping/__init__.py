"""Where and how an object can be grasped."""
