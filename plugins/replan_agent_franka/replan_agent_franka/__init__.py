# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Franka over franka_ros2: its gripper, and the stops that it makes by itself."""
