# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Domain values to messages and back: pure functions, no node needed."""
