# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the loop knows of its task: a value for each stage that changes it."""
