# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""VAMP's paths, checked and timed by replan_agent."""
