"""rclpy made safe and short: actions, services, parameters, processes."""
