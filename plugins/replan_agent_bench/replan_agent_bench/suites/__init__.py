# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suites: their random cases, episodes and numbers."""
