# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning: a few small actions around a blocked step."""
