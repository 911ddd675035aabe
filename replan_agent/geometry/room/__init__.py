# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where there is room: on the table, on a thing, in a container, around the hand."""
