# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The speed scale of a cell: running motions are slowed and paused by a topic."""
