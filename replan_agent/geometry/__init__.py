# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What shapes and places mean: outlines, room, support, falls, and the scene after a step."""
