"""The camera over ROS: pictures, and where the camera is."""
