# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""For a person at a cell: a check before anything moves, and calls from a terminal."""
