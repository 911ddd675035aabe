# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run for people and programs: the table, the plot and the JSON file."""
