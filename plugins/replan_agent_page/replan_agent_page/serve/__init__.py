# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every server of the arm shares: one task at a time, a stop that lasts, the records."""
