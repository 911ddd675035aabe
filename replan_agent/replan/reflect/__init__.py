# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why a step failed, and what to change."""
