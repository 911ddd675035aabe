# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the recovery benchmark in which faults are injected."""
