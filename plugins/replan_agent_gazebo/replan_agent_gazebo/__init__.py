"""A Franka in Gazebo for replan_agent: the world of a scene, and the arm's description."""
