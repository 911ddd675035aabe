# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""rclpy made safe and short: actions, services, parameters, processes."""
