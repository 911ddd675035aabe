# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things with joints, contact motion, and skills that stay in contact."""
