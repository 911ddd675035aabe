# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The error of an arm that may still move; simulations without ROS raise it, too."""

from __future__ import annotations


class NoStandstill(Exception):
    """The arm should stop, but standstill is not confirmed; says why."""
