# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Franka in Gazebo for replan_agent: the world of a scene, and the arm's description."""
