# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent over ROS: clients of the other nodes, the task runner, approval, hints, topics."""
