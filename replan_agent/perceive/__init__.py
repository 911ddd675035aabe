# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""PERCEIVE: from the world to a Scene."""
