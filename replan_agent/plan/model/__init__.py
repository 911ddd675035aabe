# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that asks a model, and checks everything it says."""
