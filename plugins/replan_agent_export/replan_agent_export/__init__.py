# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recorded runs of replan_agent replayed, for Foxglove and LeRobot, and as films with captions."""
