# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From pixels to a Scene: colour and depth."""
