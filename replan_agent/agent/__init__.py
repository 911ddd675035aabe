# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent's loop, its states and budgets, and the ports that connect it to the world."""
