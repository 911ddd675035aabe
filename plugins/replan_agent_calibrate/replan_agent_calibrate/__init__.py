# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the cameras of replan_agent are: hand-eye calibration with a board."""
