# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Watches a plan for fundamental problems."""
