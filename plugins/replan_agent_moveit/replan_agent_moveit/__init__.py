# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt as the motion planner of replan_agent: paths are MoveIt's, every check is ours."""
