# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The camera over ROS: its pictures and its pose."""
