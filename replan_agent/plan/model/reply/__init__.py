# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a model says: its calls, its habits of form, and the plan in them."""
