# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenes in which a step is blocked, who meddles there, and a planner that leaves it so."""
