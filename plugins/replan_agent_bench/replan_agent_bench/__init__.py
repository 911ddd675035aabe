# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measures success rates and speed."""
