# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arm behind standard interfaces: robot, grippers, joint states, stops, errors."""
