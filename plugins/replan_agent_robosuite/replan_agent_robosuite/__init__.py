# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's Panda behind the ports of replan_agent, and its tasks as a benchmark suite."""
