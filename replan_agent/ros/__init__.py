# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2: nodes, message conversions, ports over ROS. Only this folder knows ROS."""
