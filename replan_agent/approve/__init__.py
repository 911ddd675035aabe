# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""APPROVE: who lets a plan move the arm."""
