# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds an agent from settings, embedded and for the ROS nodes."""
