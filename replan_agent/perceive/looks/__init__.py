# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From the looks of one or several cameras to a scene."""
