# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What steps do to a scene: certain or expected, proved impossible, or undone since."""
