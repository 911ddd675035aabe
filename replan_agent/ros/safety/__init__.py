# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Protection of the arm: guard, stop latch, settings."""
