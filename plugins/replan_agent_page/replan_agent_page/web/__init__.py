# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A page to watch tasks, approve plans and look at past runs."""
