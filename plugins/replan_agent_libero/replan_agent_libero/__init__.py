# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""LIBERO's tasks behind the ports of replan_agent, and as a benchmark suite."""
