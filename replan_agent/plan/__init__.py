# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""PLAN: from a task and a Scene to steps, validated before anything moves."""
